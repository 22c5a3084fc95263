package com.acme.orders.book;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.acme.orders.Order;
import org.junit.jupiter.api.Test;

class OrderBookTest {
    /** Lives as long as the JVM, so that it is there when the recording ends. */
    private static final OrderBook BOOK = new OrderBook();

    @Test
    void deliveredOrdersLeaveTheBook() {
        for (int order = 0; order < 1000; order++) {
            BOOK.place(new Order().with("nail", 100).with("hammer", 1).with("saw", 1));
        }
        for (int order = 0; order < 50; order++) {
            BOOK.place(new UrgentOrder(order).with("plaster", 1));
        }
        BOOK.deliver(400);
        assertEquals(650, BOOK.size());
        assertEquals("650 open orders", BOOK.summary());
    }
}
