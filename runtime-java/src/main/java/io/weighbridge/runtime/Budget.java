package io.weighbridge.runtime;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many weak references may exist, and how many may be made: per class, and in all. K is the option
 * {@code references}.
 *
 * <p>What references cost the program is pauses: each new one is copied by the next collections and asked for its
 * object, dead or alive, about half a microsecond. So K may be made at the start, and with each collection as many more
 * as lengthen its pause by some percent ({@link #allowance}). {@link #cut} shares them out among the classes by what
 * these constructed lately; what that does not foresee, a program's start above all, is held back by {@link #limit}.
 */
final class Budget {
    static final int DEFAULT_REFERENCES = 5_000;
    /** The global cap is that of ten full classes, and at least this. */
    private static final int LEAST_CAP = 100_000;
    /**
     * Past what is free each {@link #STEP}-th of K halves the limit of every class, down to this part of K: so many
     * references at each rate keep the error of a burst near a tenth.
     */
    private static final int STEP = 20;
    private static final int LEAST = 128;
    /** New references per millisecond that a collection pauses: this part of K. With the default K they take 1.6 % of it. */
    private static final int PER_PAUSE_MS = 160;
    private static volatile int perClass = DEFAULT_REFERENCES;
    /** Registrations of this JVM, of all classes. */
    private static final AtomicLong NUMBERS = new AtomicLong();
    /** {@link #NUMBERS} at the last sweep after a collection. */
    private static volatile long swept;
    /** How many registrations of a cycle are free: those after them lower the rates. */
    private static volatile int free = DEFAULT_REFERENCES;

    private Budget() {
    }

    static void set(int references) {
        perClass = Math.max(1, references);
        free = perClass;
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

    /** The number that the first registration after the last sweep got, or will get. */
    static long firstSinceSweep() {
        return swept;
    }

    /** How many registrations there were since the last sweep, up to this one. */
    static int sinceSweep(long number) {
        return (int) Math.min(Integer.MAX_VALUE, number - swept + 1);
    }

    /** A sweep after a collection: what was made is paid for, the allowance is new. */
    static void sweptAll(int allowance) {
        long made = NUMBERS.get();
        free = (int) Math.min(perClass, Math.max(0, free - (made - swept)) + allowance);
        swept = made;
    }

    /** Registrations that a class may make before its rate is halved, when all classes together made {@code total} since the last sweep. */
    static int limit(int total) {
        int k = perClass;
        int over = (total - free) / Math.max(1, k / STEP);
        return total <= free ? k : Math.max(Math.max(1, k / LEAST), over > 30 ? 0 : k >> over);
    }

    /**
     * Registrations that all classes together should make in a cycle like the last one. A program that hardly collects is
     * allowed K / 10 a second whatever its pauses: with the default K that is a quarter of a millisecond.
     *
     * @param cycleNs how long it was
     * @param pauseMs how long the program waits for a collection on average; negative for a collector that looks through
     *     references beside the program, or if nobody knows: then K / 2 are made a second
     */
    static int allowance(long cycleNs, double pauseMs) {
        double seconds = cycleNs / 1e9;
        double n = pauseMs < 0 ? perClass / 2 * seconds : Math.max(perClass * pauseMs / PER_PAUSE_MS, perClass / 10 * seconds);
        return (int) Math.max(1, Math.max(perClass / 25, Math.min(n, perClass / 2)));
    }

    /** The largest number that each class may register in a cycle so that {@code expected} ones fit the allowance. */
    static int cut(int[] expected, int allowance) {
        return fit(expected, allowance, allowance);
    }

    /** The largest number of references a class may keep so that all of them together fit the cap. */
    static int share(int[] counts) {
        return fit(counts, cap(), perClass);
    }

    private static int fit(int[] counts, int room, int most) {
        int high = most;
        if (sum(counts, high) <= room) {
            return high;
        }
        int low = 0;
        while (low + 1 < high) {
            int middle = (low + high) >>> 1;
            if (sum(counts, middle) <= room) {
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
