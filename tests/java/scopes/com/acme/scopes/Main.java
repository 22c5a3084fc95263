package com.acme.scopes;

import io.weighbridge.Scope;
import io.weighbridge.Weighbridge;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * 50 threads open 10,000 scopes of 40 kinds, and each scope keeps a parcel of another size: {@code Main platform|virtual}.
 * Prints for each kind how many parcels it has and the lengths of their contents, then measures.
 */
public final class Main {
    static final int SCOPES = 10_000;
    static final int THREADS = 50;
    static final int KINDS = 40;
    private static final List<Object> KEPT = Collections.synchronizedList(new ArrayList<>(SCOPES));

    private Main() {
    }

    /** What a scope keeps. */
    static final class Parcel {
        final byte[] content;

        Parcel(int length) {
            content = new byte[length];
        }
    }

    public static void main(String[] arguments) throws Exception {
        AtomicLongArray parcels = new AtomicLongArray(KINDS);
        // By the bytes of arrays in steps of eight: what remains is the header, which the test adds.
        AtomicLongArray lengths = new AtomicLongArray(KINDS);
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < THREADS; number++) {
            int of = number;
            Runnable work = () -> {
                Random random = new Random(of);
                for (int i = 0; i < SCOPES / THREADS; i++) {
                    int kind = random.nextInt(KINDS);
                    int length = 8 * random.nextInt(1000);
                    try (Scope outer = Weighbridge.scope("user", "user " + of % 5);
                            Scope scope = Weighbridge.scope("request", "kind " + kind)) {
                        KEPT.add(new Parcel(length));
                        new Parcel(8);
                    }
                    parcels.incrementAndGet(kind);
                    lengths.addAndGet(kind, length);
                }
            };
            threads.add(thread(work, arguments[0].equals("virtual")));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (int kind = 0; kind < KINDS; kind++) {
            System.out.println("kind " + kind + "=" + parcels.get(kind) + " " + lengths.get(kind));
        }
        Weighbridge.measure("kept");
        System.out.println(KEPT.size());
    }

    private static Thread thread(Runnable work, boolean isVirtual) throws Exception {
        if (isVirtual) {
            // Since Java 21.
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        }
        Thread thread = new Thread(work);
        thread.start();
        return thread;
    }
}
