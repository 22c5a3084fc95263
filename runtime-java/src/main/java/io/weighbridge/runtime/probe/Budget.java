package io.weighbridge.runtime.probe;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many weak references may exist, and how many may be made: per class, and in all. K is the option
 * {@code references}.
 *
 * <p>Each class has a rate of its own. One that constructs at most K / 4 objects between two collections registers all of
 * them; one that constructs more, about K / 4. What references cost is memory and time: {@link #cap} bounds those that are
 * kept, the same again those that are new, and {@link #allowance} those that are made as time passes. Where all classes
 * together want more, the busiest give first: each may have as many as the others, none more than it wants
 * ({@link #fit}).
 */
public final class Budget {
    /** K unless set. */
    public static final int DEFAULT_REFERENCES = 5_000;
    /** Of references in all: bytes whatever the heap, and the part of what the heap has committed, each. */
    private static final long BYTES = 256 << 10;
    private static final int HEAP_SHARE = 200;
    /** A reference and its array element: see package-info. */
    private static final int REFERENCE_BYTES = 52;
    /** A class that gives in to all others still makes so many of a burst's objects. */
    private static final int LEAST = 64;
    private static volatile int perClass = DEFAULT_REFERENCES;
    /** Registrations of this JVM, of all classes. */
    private static final AtomicLong NUMBERS = new AtomicLong();
    /** {@link #NUMBERS} at the last sweep after a collection, and the references that were joined since. */
    private static volatile long swept;
    private static final AtomicInteger DROPPED = new AtomicInteger();
    /** Of K. */
    private static final double PER_SECOND = 1;
    /** Allowed for and not made. Belongs to the sweep. */
    private static double saved = DEFAULT_REFERENCES;
    private static volatile int cap = cap(Runtime.getRuntime().totalMemory());

    private Budget() {
    }

    /** Sets K, and starts with the whole budget. */
    public static void set(int references) {
        perClass = Math.max(1, references);
        swept = NUMBERS.get();
        DROPPED.set(0);
        saved = cap();
    }

    /** K: references that a class may have. */
    public static int perClass() {
        return perClass;
    }

    /** What a class makes in a cycle, about: all its objects, if it has no more. */
    public static int perCycle() {
        return Math.max(1, perClass / 4);
    }

    /** References that all classes together keep; new ones, too. K of ten classes, if that was asked for. */
    public static int cap() {
        return perClass > DEFAULT_REFERENCES ? (int) Math.min(Integer.MAX_VALUE / 4, Math.max(cap, 10L * perClass)) : cap;
    }

    private static int cap(long committed) {
        return (int) Math.min(Integer.MAX_VALUE / 4, (BYTES + committed / HEAP_SHARE) / REFERENCE_BYTES);
    }

    /** Counts one more registration of any class and gives its number, from 0. */
    static long number() {
        return NUMBERS.getAndIncrement();
    }

    /** The number that the next registration gets. */
    public static long numbers() {
        return NUMBERS.get();
    }

    /** The number that the first registration after the last sweep got, or will get. */
    public static long firstSinceSweep() {
        return swept;
    }

    /** References that no sweep has seen were joined: so many are gone. */
    static void dropped(int references) {
        DROPPED.addAndGet(references);
    }

    /**
     * A sweep after a collection, so many nanoseconds after the one before: references with numbers less than
     * {@code until} are kept ones.
     */
    public static void sweptAll(long until, long cycleNs) {
        long made = until - swept;
        cap = cap(Runtime.getRuntime().totalMemory());
        saved = Math.min(cap(), Math.max(0, saved - made) + PER_SECOND * perClass * (cycleNs / 1e9));
        swept += made;
        DROPPED.set(0);
    }

    /**
     * New references of a class before half of them are joined, when it may have {@code most} and registration
     * {@code number} is the newest. All classes together have as many as the cap, then each has half as many for every
     * eighth of the cap more.
     */
    static int limit(int most, long number) {
        long fresh = number - swept - DROPPED.get();
        int room = cap();
        if (fresh <= room) {
            return most;
        }
        long halvings = 1 + (fresh - room) / (room / 8 + 1);
        return Math.min(most, Math.max(LEAST, halvings > 30 ? 0 : most >> halvings));
    }

    /**
     * References that all classes together should make until the next collection: K a second, which may be saved up,
     * and at least K / 10. Each costs about half a microsecond: its construction, its part of a collection's pause, the
     * sweep.
     */
    public static int allowance() {
        return (int) Math.max(Math.max(1, perClass / 10), saved / 2);
    }

    /**
     * The largest number of references that each class may have so that {@code room} is enough for all: rare classes get
     * what they want, busy ones equal parts of what is left.
     */
    public static int fit(long[] wanted, int room, int most) {
        int high = most;
        if (sum(wanted, high) <= room) {
            return high;
        }
        int low = 0;
        while (low + 1 < high) {
            int middle = (low + high) >>> 1;
            if (sum(wanted, middle) <= room) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return Math.max(1, low);
    }

    private static long sum(long[] wanted, int limit) {
        long sum = 0;
        for (long n : wanted) {
            sum += Math.min(n, limit);
        }
        return sum;
    }
}
