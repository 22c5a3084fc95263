package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.weighbridge.runtime.TestJar;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Each test has classes of its own, for one that several jars have instrumented is not remembered. */
final class CopiesTest {
    private final TestJar jar = new TestJar();
    private final List<Object> copies = new ArrayList<>();

    /** The ordinal of this object's class, of which it then is the copy. */
    private int live(Object o) {
        jar.live(o.getClass());
        copies.add(o);
        return copies.size() - 1;
    }

    private int counted(Object o) {
        jar.count(o.getClass());
        copies.add(o);
        return copies.size() - 1;
    }

    /** The first class's methods copy objects of this one. */
    private void copy(int ordinal, int times) {
        for (int i = 0; i < times; i++) {
            jar.copied(copies.get(ordinal), 0);
        }
    }

    @Test
    void copiesOfEachClassAreCountedWhoeverMakesThem() {
        int left = live(new Object() { });
        int right = live(new Object() { });
        int only = counted(new Object() { });
        jar.link();
        for (int ordinal : new int[] {left, right, only}) {
            copy(ordinal, 10 + ordinal);
        }
        for (int ordinal : new int[] {left, right, only}) {
            assertEquals(10 + ordinal, jar.allocated(ordinal), "class " + ordinal);
        }
        assertEquals(10 + right, jar.population(right).number, "registered as well");
    }

    @Test
    void countsAreExactWhileTheTablesAreEmptiedAndFilledByManyThreads() throws Exception {
        live(new Object() { });
        live(new Object() { });
        live(new Object() { });
        counted(new Object() { });
        jar.link();
        int threads = 4;
        int rounds = 1_000_000;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Object>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int first = thread;
                Callable<Object> work = () -> {
                    for (int i = 0; i < rounds * copies.size(); i++) {
                        jar.copied(copies.get((i + first) % copies.size()), i / 64 % copies.size());
                    }
                    return null;
                };
                running.add(pool.submit(work));
            }
            while (!running.stream().allMatch(Future::isDone)) {
                NearestClass.forget();
            }
            for (Future<Object> one : running) {
                one.get();
            }
        } finally {
            pool.shutdownNow();
        }
        for (int ordinal = 0; ordinal < copies.size(); ordinal++) {
            assertEquals((long) threads * rounds, jar.allocated(ordinal), "class " + ordinal);
        }
    }
}
