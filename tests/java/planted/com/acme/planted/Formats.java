package com.acme.planted;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A buffer in a ThreadLocal that is never removed, on the threads of a pool. */
class Formats {
    static final ThreadLocal<Scratch> SCRATCH = new ThreadLocal<>();

    static class Scratch {
        final byte[] buffer;

        Scratch(int bytes) {
            buffer = new byte[bytes];
        }
    }

    static void use(int threads, int bytes) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        CountDownLatch all = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            pool.execute(() -> {
                SCRATCH.set(new Scratch(bytes));
                all.countDown();
                try {
                    all.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        all.await();
    }
}
