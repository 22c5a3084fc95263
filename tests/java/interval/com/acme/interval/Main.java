package com.acme.interval;

import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps known numbers of objects for a phase each, beside garbage, and says from when to when it kept how many. It never asks
 * for a collection.
 */
public final class Main {
    private static final int CHURNED = 1_000;
    /** Of so many seldom kept ones one is kept. */
    private static final int SELDOM = 1_000;
    private static final int PAYLOAD = 100;
    private static final List<Object> OLD = new ArrayList<>();
    private static final List<Object> KEPT = new ArrayList<>();
    private static final ArrayDeque<Object> MANY = new ArrayDeque<>();
    private static final List<Object> CHOSEN = new ArrayList<>();
    private static final List<Object> DROPPED = new ArrayList<>();
    private static final Object[] RING = new Object[CHURNED];
    private static volatile Object garbage;

    private Main() {
    }

    /** Few, and more in each phase. */
    static final class Kept {
        final byte[] payload = new byte[PAYLOAD];
    }

    /** More than have a reference each; the oldest half goes. */
    static final class Many {
        final byte[] payload = new byte[PAYLOAD];
    }

    /** Old before they become garbage. */
    static final class Dropped {
        final byte[] payload = new byte[PAYLOAD];
    }

    /** Made all the time; the last thousand live. */
    static final class Churned {
        final long[] payload = new long[2];
    }

    /** Made all the time; few are kept, and more in each phase. */
    static final class Seldom {
        final byte[] payload = new byte[PAYLOAD];
    }

    /** {@code PHASES MILLISECONDS BUSY OLD}: how many phases, how long each is, threads that only compute, and megabytes kept from the start. */
    public static void main(String[] arguments) {
        int phases = Integer.parseInt(arguments[0]);
        long milliseconds = Long.parseLong(arguments[1]);
        for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
            Thread busy = new Thread(Main::compute);
            busy.setDaemon(true);
            busy.start();
        }
        for (int i = 0; i < Integer.parseInt(arguments[3]) * 16; i++) {
            OLD.add(new byte[1 << 16]);
        }
        int made = 0;
        for (; made < CHURNED; made++) {
            RING[made] = new Churned();
        }
        for (int phase = 0; phase < phases; phase++) {
            for (int i = 0; i < 50; i++) {
                KEPT.add(new Kept());
            }
            for (int i = 0; i < 20_000; i++) {
                MANY.add(new Many());
                Object seldom = new Seldom();
                if (i % SELDOM == 0) {
                    CHOSEN.add(seldom);
                }
            }
            while (MANY.size() > 30_000) {
                MANY.remove();
            }
            if (phase % 4 == 3) {
                DROPPED.clear();
            }
            for (int i = 0; i < 15_000; i++) {
                DROPPED.add(new Dropped());
            }
            long from = now();
            while (now() < from + milliseconds) {
                for (int i = 0; i < 1_000; i++, made++) {
                    RING[made % CHURNED] = new Churned();
                    garbage = i % 10 == 0 ? new Seldom() : new byte[PAYLOAD];
                }
            }
            System.out.println("phase " + from + " " + now() + " " + KEPT.size() + " " + MANY.size() + " " + DROPPED.size()
                    + " " + CHURNED + " " + CHOSEN.size());
        }
    }

    private static long now() {
        return ManagementFactory.getRuntimeMXBean().getUptime();
    }

    private static void compute() {
        for (long i = 1; ; i++) {
            if (Long.numberOfTrailingZeros(i * i) > 62) {
                garbage = null;
            }
        }
    }
}
