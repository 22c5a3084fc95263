package io.weighbridge.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.probe.ClassTable;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LinkerTest {
    private static final class A {
    }

    @Test
    void theSameTextFromAnotherLoaderGetsTheSameIds() {
        TestJar jar = new TestJar().live(A.class).count(LinkerTest.class).link();
        int size = ClassTable.size();
        int base = jar.base;
        jar.link(String.class);
        assertEquals(base, jar.base);
        assertEquals(size, ClassTable.size());
    }

    @Test
    void anotherTextGetsIdsOfItsOwn() {
        TestJar first = new TestJar().live(A.class).link();
        TestJar second = new TestJar().live(A.class).link();
        assertNotEquals(first.base, second.base);
    }

    @Test
    void anUnknownContractGetsNoProbesAndAddsNoClass() {
        String table = new TestJar().live(A.class).text();
        int size = ClassTable.size();
        assertEquals(Map.of("base", 0), new Linker().apply(TestJar.request(LinkTable.CONTRACT + 1, A.class, table)));
        String older = table.replace("weighbridge\t" + LinkTable.CONTRACT, "weighbridge\t3");
        assertEquals(Map.of("base", 0), new Linker().apply(TestJar.request(LinkTable.CONTRACT, A.class, older)));
        assertEquals(size, ClassTable.size());
    }

    @Test
    void aRequestThatMakesNoSenseGetsNoProbes() {
        assertEquals(Map.of("base", 0), new Linker().apply(Map.of()));
        assertEquals(Map.of("base", 0), new Linker().apply(null));
        assertEquals(Map.of("base", 0), new Linker().apply(TestJar.request("1", null, null)));
    }

    @Test
    void aClassInitializerThatLinksWaitsForNoOtherThread() throws Exception {
        // The registry's and the recording's locks are taken by a thread that never gives them back in time.
        Thread holder = new Thread(() -> {
            TestJar.registry().lock();
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException done) {
                TestJar.registry().unlock();
            }
        });
        holder.setDaemon(true);
        holder.start();
        while (holder.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        Thread linking = new Thread(() -> {
            TestJar jar = new TestJar().live(A.class).link();
            jar.live(new A(), A.class, 0);
        });
        linking.start();
        linking.join(30_000);
        boolean done = !linking.isAlive();
        holder.interrupt();
        holder.join();
        assertTrue(done);
        assertFalse(new TestJar().live(A.class).link().isSilent());
    }
}
