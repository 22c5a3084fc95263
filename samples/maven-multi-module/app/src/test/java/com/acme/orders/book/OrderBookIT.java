package com.acme.orders.book;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class OrderBookIT {
    @Test
    void aDeliveredBookIsEmpty() {
        OrderBook book = new OrderBook();
        for (int order = 0; order < 7; order++) {
            book.place(new UrgentOrder(order).with("ladder", 1));
        }
        book.deliver(7);
        assertEquals(0, book.size());
    }
}
