package com.acme.held;

import io.weighbridge.Cancelled;
import io.weighbridge.Scope;
import io.weighbridge.Weighbridge;
import java.lang.ref.Reference;
import java.util.concurrent.CountDownLatch;

/**
 * Three threads, each in a scope, of which it is known what they hold: one has allocated most and holds little, one has allocated
 * once and holds most, one is between them. Then memory gets short. Prints {@code ready}, who was cancelled, and ends with its
 * input.
 */
public final class Main {
    private static final int GARBAGE = 100_000;
    private static final CountDownLatch READY = new CountDownLatch(3);
    private static volatile Object sink;
    private static volatile byte[] ballast;

    private Main() {
    }

    /** {@code held} bytes in one array, and after that garbage. */
    private static void start(String name, int held, int garbage) {
        // Nobody else holds the thread: what it holds would be shared with main.
        new Thread(() -> {
            try (Scope scope = Weighbridge.scope("job", name)) {
                work(scope, held, garbage);
            } catch (Cancelled error) {
                System.out.println("cancelled " + name);
            }
        }, "worker-" + name).start();
    }

    private static void work(Scope scope, int held, int garbage) {
        byte[] mine = new byte[held];
        for (int made = 0; made < garbage; made += GARBAGE) {
            sink = new byte[GARBAGE];
        }
        sink = null;
        READY.countDown();
        while (true) {
            scope.checkpoint();
            try {
                Thread.sleep(5);
            } catch (InterruptedException asked) {
                // The checkpoint says why.
            } finally {
                // Compiled code must keep it, too.
                Reference.reachabilityFence(mine);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        start("holds", 40 << 20, 0);
        start("churns", 200_000, 300 << 20);
        start("between", 10 << 20, 60 << 20);
        READY.await();
        ballast = new byte[20 << 20];
        // A shortage is seen after a collection, and a program that waits makes none.
        System.gc();
        System.out.println("ready");
        while (System.in.read() >= 0) {
            // Until the end.
        }
        System.exit(0);
    }
}
