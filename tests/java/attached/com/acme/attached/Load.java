package com.acme.attached;

import java.util.ArrayList;
import java.util.List;

/** A thread that always constructs objects, and checks that what it computes with them stays the same. */
final class Load extends Thread {
    private static final int STEPS = 2_000;

    private static final class Item {
        final long value;
        final Item next;

        Item(long value, Item next) {
            this.value = value;
            this.next = next;
        }
    }

    private volatile boolean ends;
    private volatile long digest;

    @Override
    public void run() {
        long first = round();
        do {
            if (round() != first) {
                throw new AssertionError("another digest");
            }
        } while (!ends);
        digest = first;
    }

    private static long round() {
        List<Item> items = new ArrayList<>();
        long value = 42;
        for (int i = 0; i < STEPS; i++) {
            value = value * 6364136223846793005L + 1442695040888963407L;
            items.add(new Item(value, items.isEmpty() ? null : items.get(i / 2)));
        }
        long digest = 0;
        for (Item item : items) {
            digest = 31 * digest + item.value + (item.next == null ? 0 : item.next.value);
        }
        return digest;
    }

    /** Ends the thread; what it computed, 0 if it failed. */
    long end() throws InterruptedException {
        ends = true;
        join();
        return digest;
    }
}
