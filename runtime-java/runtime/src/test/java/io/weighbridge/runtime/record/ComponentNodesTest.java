package io.weighbridge.runtime.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.Weighbridge;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ComponentNodesTest {
    @TempDir
    Path folder;

    @AfterEach
    void forgetAll() {
        ComponentNodes.forget();
        ComponentNodes.abandon();
    }

    @Test
    void anObjectHasOneNodeUnderItsLastName() {
        Object object = new Object();
        Weighbridge.node("a", object);
        Weighbridge.node("b", object);
        Weighbridge.node("b", object);
        Weighbridge.node("b", new String("equal"));
        assertEquals(2, ComponentNodes.count());
        Weighbridge.node(null, object);
        Weighbridge.node("c", null);
        assertEquals(2, ComponentNodes.count());
    }

    @Test
    void aNodeDoesNotKeepItsObjectAndGoesWithIt() throws Exception {
        Object[] held = {new byte[100]};
        WeakReference<Object> reference = new WeakReference<>(held[0]);
        Weighbridge.node("a", held[0]);
        assertEquals(1, ComponentNodes.count());
        held[0] = null;
        for (int i = 0; i < 1000 && (reference.get() != null || ComponentNodes.count() > 0); i++) {
            System.gc();
            Thread.sleep(10);
        }
        assertNull(reference.get());
        assertEquals(0, ComponentNodes.count());
    }

    @Test
    void whatASourceDescribesIsThereWhileADumpIsWrittenAndANameWins() {
        Object named = new Object();
        Object[] others = {new Object(), new Object()};
        Weighbridge.node("named", named);
        AtomicInteger asked = new AtomicInteger();
        Weighbridge.nodes(node -> {
            asked.incrementAndGet();
            node.accept("described", named);
            for (Object other : others) {
                node.accept("described", other);
                node.accept("described again", other);
            }
        });
        assertEquals(1, ComponentNodes.count());
        ComponentNodes.describe();
        assertEquals(3, ComponentNodes.count());
        ComponentNodes.forget();
        assertEquals(1, ComponentNodes.count());
        assertEquals(1, asked.get());
    }

    @Test
    void aSourceThatDoesNotReturnIsIgnoredFromThenOn() throws Exception {
        CountDownLatch later = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        Object[] objects = {new Object(), new Object()};
        Weighbridge.nodes(node -> {
            asked.incrementAndGet();
            node.accept("before", objects[0]);
            try {
                later.await();
            } catch (InterruptedException e) {
                return;
            }
            node.accept("after", objects[1]);
            done.countDown();
        });
        ComponentNodes.describe();
        assertEquals(1, ComponentNodes.count());
        ComponentNodes.forget();
        ComponentNodes.describe();
        assertEquals(1, asked.get(), "asked once for all");
        later.countDown();
        done.await();
        assertEquals(0, ComponentNodes.count());
    }

    @Test
    void moreThanAHundredThousandNodesAreNotMade() {
        Object[] objects = new Object[ComponentNodes.MOST + 10];
        for (int i = 0; i < objects.length; i++) {
            objects[i] = new Object();
            Weighbridge.node("n", objects[i]);
        }
        assertEquals(ComponentNodes.MOST, ComponentNodes.count());
        assertEquals(ComponentNodes.MOST + 10, objects.length);
    }

    @Test
    void aDumpOnRequestIsWrittenOnceAndReplacesNothing() throws Exception {
        Path dump = folder.resolve("app.hprof");
        assertTrue(Weighbridge.dumpHeap(dump.toString()));
        long size = Files.size(dump);
        assertTrue(size > 1 << 16, "a dump of " + size + " bytes");
        assertFalse(Weighbridge.dumpHeap(dump.toString()));
        assertFalse(Weighbridge.dumpHeap(folder.resolve("app.hprof/x").toString()));
        assertFalse(Weighbridge.dumpHeap(null));
        try (var files = Files.list(folder)) {
            assertEquals(1, files.count(), "the dump being written is gone");
        }
    }
}
