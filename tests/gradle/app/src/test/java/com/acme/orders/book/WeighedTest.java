package com.acme.orders.book;

import static org.junit.Assert.assertEquals;

import com.acme.orders.Order;
import org.junit.Test;

/** With JUnit 4: the oldest Gradle that the script is for knows no other. */
public class WeighedTest {
    private static final OrderBook BOOK = new OrderBook();

    @Test
    public void deliveredOrdersLeaveTheBook() {
        for (int order = 0; order < 300; order++) {
            BOOK.place(new Order().with("nail", 100).with("saw", 1));
        }
        for (int order = 0; order < 20; order++) {
            BOOK.place(new UrgentOrder(order));
        }
        BOOK.deliver(100);
        assertEquals(220, BOOK.size());
    }
}
