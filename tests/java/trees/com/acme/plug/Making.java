package com.acme.plug;

import com.acme.tree.Trees;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/**
 * Makes objects of instrumented classes and of their foreign subclasses in turns, on one thread and on several; prints how many of each class there must be.
 */
public final class Making {
    private static final int ROUNDS = 3000;
    private static final int THREADS = 4;

    private Making() {
    }

    private static void round(int i) {
        new Trees.Named("name");
        new Foreign.OwnNode();
        new Trees.Linked(null);
        new Trees.Number(i);
        new Foreign.OwnNamed("own");
        new Trees.Choosing(null, "second");
        new Foreign.OwnChoosing();
        new Trees.BelowChoosing("more");
        new Foreign.OwnBelowChoosing();
        new Trees.Passed("passed");
        new Foreign.OwnPassed();
        new Trees.Made();
        new Foreign.OwnLinked();
        new Trees.Straight();
        new Trees.Careful("needed");
        try {
            new Trees.Careful(null);
        } catch (NullPointerException expected) {
            new Foreign.OwnStrict("needed");
        }
        try {
            new Foreign.OwnStrict(null);
        } catch (NullPointerException expected) {
            new Trees.Careful("needed");
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < ROUNDS; i++) {
            round(i);
        }
        CountDownLatch start = new CountDownLatch(1);
        Thread[] threads = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++) {
            threads[t] = new Thread(() -> {
                try {
                    start.await();
                } catch (InterruptedException never) {
                    throw new AssertionError(never);
                }
                for (int i = 0; i < ROUNDS; i++) {
                    round(i);
                }
            });
        }
        for (Thread thread : threads) {
            thread.start();
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        long rounds = ROUNDS * (1L + THREADS);
        TreeMap<String, Long> made = new TreeMap<>();
        made.put("Node", rounds + Foreign.NODES.sumThenReset());
        made.put("Named", 2 * rounds + Foreign.NAMED.sumThenReset());
        made.put("Linked", 2 * rounds);
        made.put("Number", rounds);
        made.put("Choosing", 2 * rounds);
        made.put("BelowChoosing", 2 * rounds);
        made.put("Passed", 2 * rounds);
        made.put("Made", rounds);
        made.put("Detour", Foreign.DETOURS.sumThenReset());
        made.put("Straight", rounds);
        made.put("Strict", rounds);
        made.put("Careful", 2 * rounds);
        made.forEach((name, count) -> System.out.println(name + " " + count));
    }
}
