package io.weighbridge.runtime;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many weak references may exist: per class, and in all.
 *
 * <p>Between two sweeps a class registers {@code limit} objects at each sampling rate before the rate is halved,
 * so n arrivals leave at most {@code limit * (1 + log2(n / limit))} new references. Past the global cap the limit
 * shrinks by 16 for every further cap's worth, which bounds the new references of any number of classes.
 */
final class Budget {
    static final int DEFAULT_REFERENCES = 5_000;
    /** The global cap is that of ten full classes, and at least this. */
    private static final int LEAST_CAP = 100_000;
    private static volatile int perClass = DEFAULT_REFERENCES;
    /** Registrations of this JVM, of all classes. */
    private static final AtomicLong NUMBERS = new AtomicLong();
    /** {@link #NUMBERS} at the last sweep after a collection. */
    private static volatile long swept;

    private Budget() {
    }

    static void set(int references) {
        perClass = Math.max(1, references);
    }

    static int perClass() {
        return perClass;
    }

    static int cap() {
        return (int) Math.min(Integer.MAX_VALUE / 4, Math.max(LEAST_CAP, 10L * perClass));
    }

    /** Counts one more registration of any class and gives its number, from 0. */
    static long number() {
        return NUMBERS.getAndIncrement();
    }

    /** The number that the next registration gets. */
    static long numbers() {
        return NUMBERS.get();
    }

    /** How many registrations there were since the last sweep, up to this one. */
    static int sinceSweep(long number) {
        return (int) Math.min(Integer.MAX_VALUE, number - swept + 1);
    }

    static void sweptAll() {
        swept = NUMBERS.get();
    }

    /** Registrations that a class may make before its rate is halved, when all classes together made {@code total}. */
    static int limit(int total) {
        int k = perClass;
        int over = total / cap();
        return over <= 0 ? k : over >= 8 ? 0 : k >> 4 * over;
    }

    /** The largest number of references a class may keep so that all of them together fit the cap. */
    static int share(int[] counts) {
        int cap = cap();
        int high = perClass;
        if (sum(counts, high) <= cap) {
            return high;
        }
        int low = 0;
        while (low + 1 < high) {
            int middle = (low + high) >>> 1;
            if (sum(counts, middle) <= cap) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return Math.max(1, low);
    }

    private static long sum(int[] counts, int limit) {
        long sum = 0;
        for (int n : counts) {
            sum += Math.min(n, limit);
        }
        return sum;
    }
}
