package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.weighbridge.runtime.TestJar;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Each test has classes of its own, for one that several jars have instrumented is not remembered. */
final class CopiedClassesTest {
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

    private Class<?> standsIn(int place) {
        return CopiedClasses.type(CopiedClasses.first(jar.base) + place);
    }

    private int idIn(int place) {
        return CopiedClasses.id(CopiedClasses.first(jar.base) + place) - jar.base;
    }

    private Class<?> type(int ordinal) {
        return copies.get(ordinal).getClass();
    }

    @Test
    void theFirstTwoClassesGetThePlacesAndAllAreCounted() {
        int left = live(new Object() { });
        int right = live(new Object() { });
        int third = live(new Object() { });
        int only = counted(new Object() { });
        jar.link();
        for (int ordinal : new int[] {left, right, third, only}) {
            copy(ordinal, 10 + ordinal);
        }
        assertSame(type(left), standsIn(0));
        assertEquals(left, idIn(0));
        assertSame(type(right), standsIn(1));
        assertEquals(right, idIn(1));
        for (int ordinal : new int[] {left, right, third, only}) {
            assertEquals(10 + ordinal, jar.allocated(ordinal), "class " + ordinal);
        }
        assertEquals(10 + right, jar.population(right).live, "registered as well");
    }

    @Test
    void aPlaceKeepsItsIdWhenTheTablesAreEmptied() {
        int left = live(new Object() { });
        int right = live(new Object() { });
        int third = live(new Object() { });
        jar.link();
        copy(left, 2);
        copy(right, 2);
        NearestClass.forget();
        assertNull(standsIn(0));
        assertEquals(left, idIn(0));
        copy(right, 2);
        assertSame(type(right), standsIn(1), "where its id is");
        assertNull(standsIn(0));
        copy(third, 3);
        assertSame(Void.class, standsIn(0), "no place for this one, which is not to try again");
        copy(left, 3);
        assertEquals(left, idIn(0));
        assertEquals(5, jar.allocated(left));
        assertEquals(4, jar.allocated(right));
        assertEquals(3, jar.allocated(third));
        NearestClass.forget();
        copy(left, 2);
        assertSame(type(left), standsIn(0), "back again");
        assertEquals(7, jar.allocated(left));
    }

    @Test
    void countedClassesGetNoPlaceAndDoNotTryForEver() {
        int only = counted(new Object() { });
        int left = live(new Object() { });
        jar.link();
        copy(only, 2);
        assertSame(Void.class, standsIn(0));
        copy(only, 1);
        assertSame(Void.class, standsIn(1));
        copy(left, 4);
        assertEquals(-1 - jar.base, idIn(0), "still nobody's");
        assertEquals(3, jar.allocated(only));
        assertEquals(4, jar.allocated(left));
    }

    @Test
    void aLinkEmptiesThePlaces() {
        int left = live(new Object() { });
        jar.link();
        copy(left, 2);
        assertSame(type(left), standsIn(0));
        new TestJar().live(new Object() { }.getClass()).link();
        assertNull(standsIn(0));
    }

    @Test
    void countsAreExactWhileThePlacesAreEmptiedAndFilledByManyThreads() throws Exception {
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
                        // In bursts, so that two classes run for the same place of one maker after the other.
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
