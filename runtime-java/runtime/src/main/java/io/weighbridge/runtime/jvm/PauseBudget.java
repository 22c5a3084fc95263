package io.weighbridge.runtime.jvm;

import io.weighbridge.runtime.contract.NativeMethods;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What the program's owner grants: no single stop of ours is meant to be longer (option {@code pause}).
 *
 * <p>Before a stop its length is predicted: the bytes of the heap that it meets ({@link Stop#bytes}) times what the same kind of
 * stop took for a byte when it was last done in this JVM, or a first guess. What would take longer is not done, and
 * {@link #leftOut} says so. At the JVM's end nothing waits for the program any more, so there everything is allowed: whoever
 * ends does not ask.
 *
 * <p>Static, because the stops are the JVM's: what one has taken holds for all. Any thread.
 */
public final class PauseBudget {
    /** What was taken is multiplied by this: the next one may meet more live objects, and a busy machine. */
    static final double MARGIN = 1.25;
    /** A stop that met fewer bytes says less about bytes than the first guess: most of it was other work. */
    private static final double TELLING_BYTES = 32 << 20;
    /** Nothing until the options are known. */
    private static volatile long grantedNs;
    /** By kind of stop, once it was done: nanoseconds for each used byte. */
    private static final Map<Stop, Double> TAKEN = new EnumMap<>(Stop.class);

    /** Kinds of stops. */
    public enum Stop {
        /**
         * The agent looks at each object of the heap, dead ones too. First guess: 0.06 us an object, of about 32 bytes with those
         * of arrays and strings between.
         */
        SURVEY(2, true),
        /** A full collection. First guess: that of a heap full of small live objects, on two cores. */
        COLLECTION(4, false),
        /** A full collection, and a count of all objects after it. */
        HISTOGRAM(5, false),
        /** A full collection, and the live objects written to a file. First guess: 0.17 us an object. */
        DUMP(9, false);

        /** Nanoseconds for each used byte. */
        final double guess;
        private final boolean meetsGarbage;

        Stop(double guess, boolean meetsGarbage) {
            this.guess = guess;
            this.meetsGarbage = meetsGarbage;
        }

        /**
         * Bytes that it meets now, about. A collection moves what lives: of the space where objects are made that is mostly
         * little, and rarely more than half.
         */
        public long bytes() {
            long used = HeapUse.used();
            // At least half: there may have been a collection between the two questions.
            return meetsGarbage ? used : Math.max(used / 2, used - eden() / 2);
        }
    }

    private PauseBudget() {
    }

    /** From now on no stop is longer than this. */
    public static void grant(long milliseconds) {
        grantedNs = nanos(milliseconds);
        if (NativeAgent.isPresent()) {
            NativeMethods.grantPause(milliseconds);
        }
    }

    /** {@link Long#MAX_VALUE} for what is longer than that. */
    public static long nanos(long milliseconds) {
        return TimeUnit.MILLISECONDS.toNanos(milliseconds);
    }

    /** Nanoseconds. */
    public static long granted() {
        return grantedNs;
    }

    /** How long a stop would be, in nanoseconds. */
    public static long predict(Stop stop) {
        return (long) (stop.bytes() * rate(stop));
    }

    static double rate(Stop stop) {
        synchronized (TAKEN) {
            Double taken = TAKEN.get(stop);
            return taken != null ? taken * MARGIN : stop.guess;
        }
    }

    /** A stop has ended. {@code bytesBefore}: {@link Stop#bytes} right before it. */
    public static void learn(Stop stop, long bytesBefore, long nanos) {
        synchronized (TAKEN) {
            TAKEN.put(stop, (nanos + stop.guess * TELLING_BYTES) / (bytesBefore + TELLING_BYTES));
        }
    }

    /** Bytes in the space where objects are made, of a collector that has one; else 0. */
    private static long eden() {
        try {
            return Pools.EDEN == null ? 0 : Pools.EDEN.getUsage().getUsed();
        } catch (LinkageError | RuntimeException absent) {
            return 0;
        }
    }

    /** Needs {@code java.management}. */
    private static final class Pools {
        static final MemoryPoolMXBean EDEN = find();

        private static MemoryPoolMXBean find() {
            for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
                if (pool.getName().contains("Eden")) {
                    return pool;
                }
            }
            return null;
        }
    }

    /** {@code "MISSING: to ACTION stops the program for about 2.4 s (--pause 5s)"}. */
    public static String leftOut(String missing, String action, long predictedNs) {
        return missing + ": to " + action + " stops the program for about " + duration(predictedNs) + " (--pause "
                + allowing(predictedNs) + ")";
    }

    /** With two digits. */
    static String duration(long ns) {
        double ms = ns / 1e6;
        if (ms < 995) {
            return Math.max(1, Math.round(ms < 100 ? ms : Math.round(ms / 10) * 10)) + " ms";
        }
        return (ms < 9_950 ? String.valueOf(Math.round(ms / 100) / 10.0) : String.valueOf(Math.round(ms / 1000))) + " s";
    }

    /** A value of the option that allows such a stop, and twice the time: it takes that if the objects are small. */
    static String allowing(long ns) {
        long ms = (long) (ns / 1e6 * 2) + 1;
        return ms < 1000 ? (ms + 99) / 100 * 100 + "ms" : (ms + 999) / 1000 + "s";
    }
}
