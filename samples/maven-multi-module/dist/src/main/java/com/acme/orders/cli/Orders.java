package com.acme.orders.cli;

import com.acme.orders.Order;
import com.acme.orders.book.OrderBook;

/** The program that is delivered. */
public final class Orders {
    private static final OrderBook BOOK = new OrderBook();

    private Orders() {}

    public static void main(String[] arguments) {
        for (int order = 0; order < 25; order++) {
            BOOK.place(new Order().with("screw", order));
        }
        System.out.println(BOOK.summary());
    }
}
