package com.acme.hostile;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Many threads initialise classes whose initialisers construct, while none has met the runtime yet. */
final class Initializers {
    private static final int THREADS = 16;

    private Initializers() {
    }

    static class First extends Thing {
        static final Thing HELD = Thing.make();
        static final Thing OF_SECOND = Second.alone();

        First() {
            super(1);
        }

        static void touch() {
        }
    }

    static class Second extends Thing {
        static final Thing HELD = Thing.make();

        Second() {
            super(2);
        }

        static Thing alone() {
            return Thing.make();
        }
    }

    static class Third extends Thing {
        static final Thing[] HELD = {Thing.make(), Thing.make()};

        Third() {
            super(3);
        }

        static void touch() {
            Second.alone();
        }
    }

    /** An initialiser that waits for a thread that constructs: nothing may hold a lock that this one wants. */
    static class Waiting {
        static final Thing HELD = Thing.make();

        static {
            Thread other = new Thread(Thing::make);
            other.start();
            try {
                other.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        static void touch() {
        }
    }

    static void run() throws InterruptedException {
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        Runnable[] touches = {First::touch, Third::touch, Waiting::touch, () -> Second.alone()};
        for (int i = 0; i < THREADS; i++) {
            Runnable touch = touches[i % touches.length];
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                } catch (InterruptedException e) {
                    return;
                }
                touch.run();
            });
            thread.start();
            threads.add(thread);
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("initialised");
    }
}
