package io.weighbridge.runtime.probe;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much memory the counters of all threads may take together: 256 KiB and a 256th of the largest heap.
 *
 * <p>A thread whose counters do not fit counts in those that all threads share, one of each class: some tens of nanoseconds
 * a construction instead of one. Threads that construct much come first, for counters have to be earned.
 */
final class StripeMemory {
    private static final int BYTES_PER_CLASS = Long.BYTES * 2 + 1;
    private static final long MOST = (256L << 10) + Runtime.getRuntime().maxMemory() / 256;
    /** As many classes more are worth counters at once, and of the first ones every thread may count as many. */
    private static final int FEW = 64;
    /** Counters for so many classes more are worth one arrival that had to be counted elsewhere. */
    private static final int CLASSES_PER_ARRIVAL = 8;
    private static final AtomicLong TAKEN = new AtomicLong();

    private StripeMemory() {
    }

    /** Whether counters for so many classes more are worth their memory, after so many arrivals without. */
    static boolean isWorth(int classes, long arrivals) {
        return classes <= FEW || arrivals * CLASSES_PER_ARRIVAL >= classes;
    }

    /** True if there is room for the counters of {@code to} classes where there were {@code from}; it is taken then. */
    static boolean take(int from, int to) {
        long bytes = (long) (to - from) * BYTES_PER_CLASS;
        if (to > FEW && TAKEN.get() + bytes > MOST) {
            return false;
        }
        TAKEN.addAndGet(bytes);
        return true;
    }

    static void giveBack(int classes) {
        TAKEN.addAndGet(-(long) classes * BYTES_PER_CLASS);
    }
}
