package com.acme.loading;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Constructs its first objects where the stack ends: at each depth from its end on, so some step of a probe always fails there. */
public final class Deep {
    private static final int TIMES = 8;
    private static int made;

    private Deep() {
    }

    /** Counted by its constructor, of which nothing is kept. */
    static class Item {
        Item() {
            made++;
        }
    }

    static final class Below extends Item {
    }

    static final class Copied implements Cloneable {
        Copied copy() throws CloneNotSupportedException {
            return (Copied) clone();
        }
    }

    private static void dive() {
        try {
            dive();
        } catch (StackOverflowError end) {
            // Each caller has some more stack than the frames below it.
        }
        make();
    }

    private static void make() {
        try {
            new Item();
            new Below();
            new Copied().copy();
        } catch (StackOverflowError end) {
            // The next one.
        } catch (CloneNotSupportedException never) {
            throw new AssertionError(never);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Thread.sleep(Integer.parseInt(arguments[0]));
        for (int i = 0; i < TIMES; i++) {
            Thread thread = new Thread(null, Deep::dive, "deep", 256 << 10);
            thread.start();
            thread.join();
        }
        int deep = made;
        for (int i = 0; i < 1000; i++) {
            make();
        }
        // The JDK still works.
        LongAdder adder = new LongAdder();
        adder.add(StackWalker.getInstance().walk(frames -> frames.count()));
        adder.add(ThreadLocalRandom.current().nextInt(1));
        System.out.println("deep " + deep + " later " + (made - deep) + " frames " + adder.sum());
    }
}
