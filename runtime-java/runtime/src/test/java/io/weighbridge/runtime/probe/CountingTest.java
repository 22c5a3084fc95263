package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.TestJar;
import io.weighbridge.runtime.registry.CollectionClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

final class CountingTest {
    private static final class Counted {
    }

    private static final class Tracked1 {
    }

    private static void construct(TestJar jar, int number) {
        for (int i = 0; i < number; i++) {
            jar.count(Counted.class, Counted.class, 0);
            jar.live(new Tracked1(), Tracked1.class, 1);
        }
    }

    private static TestJar jar() {
        return new TestJar().count(Counted.class).live(Tracked1.class).link();
    }

    @Test
    void countsAreExactUnderManyThreads() throws Exception {
        TestJar jar = jar();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 32; t++) {
            Thread thread = new Thread(() -> construct(jar, 200_000));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(32 * 200_000L, jar.allocated(0));
        assertEquals(32 * 200_000L, jar.allocated(1));
    }

    @Test
    void countsAreExactWhenMoreThreadsLiveThanTheCacheHasSlots() throws Exception {
        TestJar jar = jar();
        ExecutorService pool = Executors.newFixedThreadPool(1500);
        List<Future<?>> done = new ArrayList<>();
        for (int t = 0; t < 3000; t++) {
            done.add(pool.submit(() -> construct(jar, 1000)));
        }
        for (Future<?> f : done) {
            f.get();
        }
        assertEquals(3_000_000, jar.allocated(0));
        assertEquals(3_000_000, jar.allocated(1));
        pool.shutdown();
    }

    @Test
    void threadsThatComeAndGoLeaveTheirCountsAndNothingElse() throws Exception {
        TestJar jar = jar();
        TestJar.registry().sweep(false);
        int before = Stripes.alive();
        for (int t = 0; t < 5000; t++) {
            Thread thread = new Thread(() -> construct(jar, 3));
            thread.start();
            thread.join();
        }
        assertEquals(15_000, jar.allocated(0));
        assertEquals(15_000, jar.allocated(1));
        assertTrue(Stripes.alive() <= before + 5, "stripes kept: " + Stripes.alive() + ", before " + before);
        for (Thread thread : Stripes.THREADS) {
            assertTrue(thread == null || thread.isAlive());
        }
    }

    /** The runtime's thread may come late, after the thread that asked for the collection has swept. */
    @Test
    void oneCollectionEndsOneCycleHoweverOftenItIsSeen() {
        TestJar jar = jar();
        TestJar.registry().lock();
        try {
            TestJar.registry().clock.tick(false);
            TestJar.registry().sweep(true);
            construct(jar, 7);
            assertTrue(CollectionClock.collect(10_000));
            assertTrue(TestJar.registry().clock.tick(false));
            TestJar.registry().sweep(true);
            assertFalse(TestJar.registry().clock.tick(true), "the sentinel of the same collection");
            assertTrue(TestJar.registry().clock.isAhead());
            assertEquals(7, jar.swept(0).lastCycle);
        } finally {
            TestJar.registry().unlock();
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void virtualThreadsAreCountedToo() throws Exception {
        TestJar jar = jar();
        ExecutorService each = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        List<Future<?>> done = new ArrayList<>();
        for (int t = 0; t < 2000; t++) {
            done.add(each.submit(() -> construct(jar, 100)));
        }
        for (Future<?> f : done) {
            f.get();
        }
        each.shutdown();
        assertEquals(200_000, jar.allocated(0));
        assertEquals(200_000, jar.allocated(1));
        assertTrue(jar.entry(0).shared.sum() > 0, "virtual threads share their counters");
    }

    @Test
    void switchedOffNothingIsCountedAndSwitchedOnAgainItIs() {
        TestJar jar = jar();
        construct(jar, 10);
        Stripes.enable(false);
        try {
            construct(jar, 1000);
            assertEquals(10, jar.allocated(0));
        } finally {
            Stripes.enable(true);
        }
        construct(jar, 5);
        assertEquals(15, jar.allocated(0));
        assertEquals(15, jar.allocated(1));
    }

    @Test
    void resetStartsAtZero() {
        TestJar jar = jar();
        construct(jar, 100);
        TestJar.registry().reset();
        assertEquals(0, jar.allocated(0));
        construct(jar, 7);
        assertEquals(7, jar.allocated(0));
        assertEquals(7, jar.allocated(1));
    }

    @Test
    void whatWasAllocatedSinceTheLastCollectionIsCountedApart() {
        TestJar jar = jar();
        construct(jar, 100);
        TestJar.registry().sweep(true);
        construct(jar, 30);
        TestJar.registry().sweep(false);
        for (int ordinal = 0; ordinal < 2; ordinal++) {
            assertEquals(130, jar.allocated(ordinal));
            assertEquals(100, jar.swept(ordinal).lastCycle);
            assertEquals(30, jar.allocated(ordinal) - jar.swept(ordinal).atCollection);
        }
        TestJar.registry().sweep(true);
        assertEquals(30, jar.swept(0).lastCycle);
        assertEquals(0, jar.allocated(0) - jar.swept(0).atCollection);
        TestJar.registry().reset();
        construct(jar, 5);
        assertEquals(5, jar.allocated(1) - jar.swept(1).atCollection);
    }

    @Test
    void classesLinkedLaterFindRoomInStripesMadeBefore() {
        construct(jar(), 1);
        TestJar later = jar();
        for (int i = 0; i < 200; i++) {
            later = jar();
        }
        construct(later, 3);
        assertEquals(3, later.allocated(0));
        assertEquals(3, later.allocated(1));
    }
}
