package com.acme.orders.book;

import com.acme.orders.Order;

/** An order with a date, of another module than its superclass. */
public final class UrgentOrder extends Order {
    private final long due;

    public UrgentOrder(long due) {
        this.due = due;
    }

    public long due() {
        return due;
    }
}
