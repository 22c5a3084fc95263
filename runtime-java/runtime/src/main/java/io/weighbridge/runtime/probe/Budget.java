package io.weighbridge.runtime.probe;

import io.weighbridge.runtime.contract.RuntimeOptions;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many weak references may exist, and how many may be made: per class, and in all. K is the option
 * {@code references}.
 *
 * <p>Each class has a rate of its own. A class that constructs at most K / 4 objects between two collections registers all
 * of them; another registers about K / 4. References cost memory and time. {@link #cap} bounds those that are kept, and as
 * many new ones; {@link #allowance} bounds those that are made as time passes. If all classes together need more, the
 * busiest get less first: all get the same number, but none more than it needs ({@link #fit}).
 */
public final class Budget {
    /** K unless set. */
    public static final int DEFAULT_REFERENCES = RuntimeOptions.REFERENCES.number();
    /** For all references: bytes whatever the heap, and a part of the committed heap. */
    private static final long BYTES = 256 << 10;
    private static final int HEAP_SHARE = 200;
    /** A reference and its array element: see package-info. */
    private static final int REFERENCE_BYTES = 52;
    /** Of a burst's objects a class always registers so many. */
    private static final int LEAST = 64;
    private static volatile int perClass = DEFAULT_REFERENCES;
    /** Registrations of this JVM, of all classes. */
    private static final AtomicLong NUMBERS = new AtomicLong();
    /** {@link #NUMBERS} at the last sweep after a collection, and the references that were joined since. */
    private static volatile long swept;
    private static final AtomicInteger DROPPED = new AtomicInteger();
    /** Of K. */
    private static final double PER_SECOND = 1;
    /** References that were allowed and not made. For the sweep. */
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

    /** About how many a class makes in a cycle; all its objects, if it has no more. */
    public static int perCycle() {
        return Math.max(1, perClass / 4);
    }

    /** References that all classes together keep, and of new ones the same. If K was raised, at least K for ten classes. */
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

    /** New references were joined: so many are gone. */
    static void dropped(int references) {
        DROPPED.addAndGet(references);
    }

    /**
     * A sweep after a collection, {@code cycleNs} after the one before. References with numbers less than {@code until} are
     * no longer new.
     */
    public static void sweptAll(long until, long cycleNs) {
        long made = until - swept;
        cap = cap(Runtime.getRuntime().totalMemory());
        saved = Math.min(cap(), Math.max(0, saved - made) + PER_SECOND * perClass * (cycleNs / 1e9));
        swept += made;
        DROPPED.set(0);
    }

    /**
     * How many new references a class may have before half of them are joined. {@code most}: what it may have alone;
     * {@code number}: the newest registration. While all classes together have no more than the cap, that is {@code most};
     * for every eighth of the cap more it is halved.
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
     * and at least K / 10. Each costs about half a microsecond for its construction, its part of a collection's pause and
     * the sweep.
     */
    public static int allowance() {
        return (int) Math.max(Math.max(1, perClass / 10), saved / 2);
    }

    /**
     * The largest number of references that each class may have so that {@code room} is enough for all. Rare classes get
     * what they need, busy ones equal parts of the rest.
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
