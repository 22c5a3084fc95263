package com.acme.loading;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Constructs known numbers of collections of the JDK on many threads, virtual ones too where there are any. */
public final class Collections {
    private static final int THREADS = 8;

    private Collections() {
    }

    private static final class OwnList extends ArrayList<Object> {
        private static final long serialVersionUID = 1;
    }

    private static void construct(int times) {
        for (int i = 0; i < times; i++) {
            HashMap<Object, Object> map = new HashMap<>();
            map.put(i, i);
            map.clone();
            new LinkedHashMap<>(map);
            ArrayList<Object> list = new OwnList();
            list.add(map);
            new ArrayList<>(list).clone();
            new HashSet<>(list);
            new ConcurrentHashMap<>(map);
            new AtomicLong(i);
        }
    }

    private static Thread virtual(Runnable task) throws Exception {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (NoSuchMethodException before21) {
            Thread thread = new Thread(task);
            thread.start();
            return thread;
        }
    }

    public static void main(String[] arguments) throws Exception {
        int times = Integer.parseInt(arguments[0]);
        Thread[] threads = new Thread[2 * THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> construct(times));
            threads[i].start();
            threads[THREADS + i] = virtual(() -> construct(times));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        int all = threads.length * times;
        // A set has a map.
        System.out.println("made java.util.HashMap " + 3 * all);
        System.out.println("made java.util.LinkedHashMap " + all);
        System.out.println("made java.util.ArrayList " + 3 * all);
        System.out.println("made java.util.HashSet " + all);
        System.out.println("made java.util.concurrent.ConcurrentHashMap " + all);
        System.out.println("made java.util.concurrent.atomic.AtomicLong " + all);
    }
}
