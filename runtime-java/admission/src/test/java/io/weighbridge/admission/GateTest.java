package io.weighbridge.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.Cancelled;
import io.weighbridge.Weighbridge;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class GateTest {
    @BeforeEach
    void reset() {
        Weighbridge.reset();
    }

    @Test
    void withoutTheRuntimeEverythingMayBegin() {
        Gate gate = new Gate(ClassLoader.getPlatformClassLoader());
        assertTrue(gate.admit("request", "/a"));
        gate.scope("request", "/a").close();
        assertEquals(List.of(), Weighbridge.TOLD);
    }

    @Test
    void aMissingRuntimeIsNotLookedForMoreThanOnceASecond() {
        AtomicInteger looks = new AtomicInteger();
        ClassLoader none = new ClassLoader(null) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                looks.incrementAndGet();
                throw new ClassNotFoundException(name);
            }
        };
        Gate gate = new Gate(none);
        long start = System.nanoTime();
        for (int i = 0; i < 1000; i++) {
            gate.admit("request", "/a");
        }
        long seconds = (System.nanoTime() - start) / 1_000_000_000;
        assertTrue(looks.get() >= 1 && looks.get() <= seconds + 1, () -> looks + " in " + seconds + " s");
    }

    @Test
    void aClassOfThatNameThatCannotAdmitCountsAsNoRuntime() {
        ClassLoader other = new ClassLoader(null) {
            @Override
            protected Class<?> findClass(String name) {
                return Object.class;
            }
        };
        assertTrue(new Gate(other).admit("request", "/a"));
    }

    @Test
    void theRuntimeIsAskedAndItsScopeOpened() {
        Gate gate = Gate.OF_PROCESS;
        assertTrue(gate.admit("request", "/a"));
        gate.scope("request", "/a").close();
        Weighbridge.admits = false;
        assertFalse(gate.admit("request", "/b"));
        assertEquals(List.of("admit request=/a", "open request=/a", "close request=/a", "admit request=/b"), Weighbridge.TOLD);
    }

    @Test
    void aRefusalIsKnownByItselfAndAsACause() {
        assertTrue(Gate.isRefusal(new Cancelled()));
        assertTrue(Gate.isRefusal(new IllegalStateException(new RuntimeException(new Cancelled()))));
        assertFalse(Gate.isRefusal(new OutOfMemoryError()));
        Throwable one = new RuntimeException();
        one.initCause(new RuntimeException(one));
        assertFalse(Gate.isRefusal(one), "a circle of causes ends");
    }
}
