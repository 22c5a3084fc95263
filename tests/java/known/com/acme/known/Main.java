package com.acme.known;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Dumps a heap in which everything is known. Arguments: the dump's path, and how many sessions. */
public final class Main {
    static final List<Cache> CACHES = new ArrayList<>();
    static final List<Session> SESSIONS = new ArrayList<>();
    static final Map<Colliding, String> COLLIDING = new HashMap<>();
    static final List<Object> WASTE = new ArrayList<>();
    static final SoftReference<byte[]> SOFT = new SoftReference<>(new byte[300_000]);

    private Main() {
    }

    public static void main(String[] args) throws Exception {
        fill(Integer.parseInt(args[1]));
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(args[0], true);
    }

    /** Its locals are gone when the heap is dumped. */
    private static void fill(int sessions) {
        byte[] shared = new byte[100_000];
        CACHES.add(new Cache("users", 100, 1_000, shared));
        CACHES.add(new Cache("items", 50, 2_000, shared));
        for (int i = 0; i < sessions; i++) {
            SESSIONS.add(new Session(new String("the same text in every session".toCharArray())));
        }
        for (int i = 0; i < 12; i++) {
            COLLIDING.put(new Colliding(i), "value");
        }
        for (int i = 0; i < 20; i++) {
            List<Object> sparse = new ArrayList<>(100);
            sparse.add(SOFT);
            WASTE.add(sparse);
        }
        for (int i = 0; i < 200; i++) {
            WASTE.add(Integer.valueOf(123_456));
        }
        for (int i = 0; i < 30; i++) {
            WASTE.add(new long[1_000 + i]);
        }
    }

    static final class Cache {
        final String name;
        final byte[][] entries;
        final byte[] shared;

        Cache(String name, int entries, int length, byte[] shared) {
            this.name = name;
            this.entries = new byte[entries][length];
            this.shared = shared;
        }
    }

    static final class Session {
        final String user;

        Session(String user) {
            this.user = user;
        }
    }

    static final class Colliding implements Comparable<Colliding> {
        final int number;

        Colliding(int number) {
            this.number = number;
        }

        @Override
        public int hashCode() {
            return 7;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Colliding && ((Colliding) other).number == number;
        }

        @Override
        public int compareTo(Colliding other) {
            return Integer.compare(number, other.number);
        }
    }
}
