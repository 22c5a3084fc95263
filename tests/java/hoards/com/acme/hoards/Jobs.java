package com.acme.hoards;

import io.weighbridge.Weighbridge;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Methods that a configuration names. */
final class Jobs {
    static final AtomicInteger RUNS = new AtomicInteger();
    private static final int CHUNK = 64 << 10;
    /** Of a mebibyte. */
    private static final int PIECES = 4;
    private static volatile byte[] last;

    private Jobs() {
    }

    /** Needs little. */
    static int small() {
        return new byte[CHUNK].length;
    }

    /** As small, but it is called too seldom for anything to be known of it. */
    static int rare() {
        return new byte[CHUNK].length;
    }

    /** Holds so much at once. Its value tells its arguments and how often it has run. */
    static String large(int mib, long number, String text, double factor) {
        return fill(mib, number, text, factor);
    }

    private static String fill(int mib, long number, String text, double factor) {
        int run = RUNS.incrementAndGet();
        // In pieces that are not large for G1: where one finds no room, there is still room for the little that others need.
        byte[][] held = new byte[mib * PIECES][];
        for (int i = 0; i < held.length; i++) {
            held[i] = new byte[(1 << 20) / PIECES];
        }
        return text + " " + held.length / PIECES + " " + number + " " + factor + " in run " + run;
    }

    /** The same, and no configuration names it. */
    static String unnamed(int mib, long number, String text, double factor) {
        return fill(mib, number, text, factor);
    }

    /** Asks for more than any heap here has. */
    static int tooLarge(int run) {
        RUNS.incrementAndGet();
        return new byte[Integer.MAX_VALUE - 8].length + run;
    }

    /** Holds so much until it is released; asks meanwhile whether it is cancelled, or works and allocates little. */
    static void hold(Main.Hoard hoard, int mib, boolean asks) {
        List<byte[]> held = new ArrayList<>();
        for (long bytes = 0; bytes < (long) mib << 20 && !hoard.released; bytes += CHUNK) {
            held.add(new byte[CHUNK]);
            if (asks) {
                Weighbridge.checkpoint();
            }
        }
        hoard.filled.countDown();
        int rounds = 0;
        while (!hoard.released) {
            if (asks) {
                Weighbridge.checkpoint();
                pause();
            } else {
                Thread.onSpinWait();
                if (++rounds % 10_000 == 0) {
                    try {
                        last = new byte[512];
                    } catch (OutOfMemoryError full) {
                        // Whoever asks first when there is nothing left gets the error; this one works on.
                        last = null;
                    }
                }
            }
        }
        Reference.reachabilityFence(held);
    }

    /** An interrupt ends it: the next checkpoint tells why. */
    private static void pause() {
        try {
            Thread.sleep(2);
        } catch (InterruptedException soon) {
            // As it is to be.
        }
    }
}
