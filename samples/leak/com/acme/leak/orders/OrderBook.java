package com.acme.leak.orders;

import java.util.ArrayDeque;
import java.util.Random;

/** Orders not filled yet. */
public final class OrderBook {
    private static final int MOST_OPEN = 500;
    private final ArrayDeque<Order> open = new ArrayDeque<>();

    public void add(String symbol, double price) {
        open.add(new Order(symbol, price));
    }

    /** Fills orders, in their order, until not too many are open. */
    public void fill(Random random) {
        int left = random.nextInt(MOST_OPEN);
        while (open.size() > left) {
            open.remove();
        }
    }
}
