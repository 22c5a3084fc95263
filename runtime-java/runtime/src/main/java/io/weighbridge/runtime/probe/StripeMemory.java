package io.weighbridge.runtime.probe;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much memory the counters of all threads may take together: 256 KiB and a 256th of the largest heap.
 *
 * <p>A thread whose counters do not fit uses those that all threads share, one for each class: some tens of nanoseconds a
 * construction instead of one. Threads that construct much come first, for counters have to be earned.
 */
final class StripeMemory {
    private static final int BYTES_PER_CLASS = Long.BYTES * 2 + 1;
    private static final long MOST = (256L << 10) + Runtime.getRuntime().maxMemory() / 256;
    /** Counters for so many more classes are always worth it, and every thread may have those of so many first classes. */
    private static final int FEW = 64;
    /** An arrival that had to be counted elsewhere is worth counters for so many more classes. */
    private static final int CLASSES_PER_ARRIVAL = 8;
    private static final AtomicLong TAKEN = new AtomicLong();

    private StripeMemory() {
    }

    /** Whether counters for {@code classes} more are worth their memory, after so many arrivals without them. */
    static boolean isWorth(int classes, long arrivals) {
        return classes <= FEW || arrivals * CLASSES_PER_ARRIVAL >= classes;
    }

    /** Takes memory for the counters of {@code to} classes where there were {@code from}; false if there is not enough. */
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
