package com.acme.comings;

import java.util.ArrayList;
import java.util.List;

/**
 * Holds much for a moment that no count sees, and prints how much that was.
 *
 * <p>{@code threads}: each block is made by a thread that ends at once. {@code adopted}: half of the bytes are allocated
 * before a count and held by a registered object only after it.
 */
public final class Main {
    private static final int BLOCKS = 75;
    private static final int BLOCK = 2 << 20;
    private static final List<Block> HELD = new ArrayList<>();

    private Main() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        long peak = arguments[0].equals("threads") ? threads() : adopted();
        HELD.clear();
        System.gc();
        Thread.sleep(Long.parseLong(arguments[1]));
        HELD.add(new Block(new byte[BLOCK]));
        System.out.println(peak);
    }

    private static long threads() throws InterruptedException {
        Thread.sleep(1_000);
        for (int i = 0; i < BLOCKS; i++) {
            Thread thread = new Thread(() -> HELD.add(new Block(new byte[BLOCK])));
            thread.start();
            thread.join();
        }
        return (long) BLOCKS * BLOCK;
    }

    private static long adopted() throws InterruptedException {
        byte[] before = new byte[BLOCKS / 2 * BLOCK];
        HELD.add(new Block(new byte[0]));
        Thread.sleep(3_000);
        HELD.add(new Block(before));
        HELD.add(new Block(new byte[BLOCKS / 2 * BLOCK]));
        return 2L * (BLOCKS / 2) * BLOCK;
    }
}
