package com.acme.orders.book;

import com.acme.orders.Order;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.lang3.StringUtils;

/** Orders that were placed and not delivered. */
public class OrderBook {
    private final List<Order> open = new ArrayList<>();

    public void place(Order order) {
        open.add(order);
    }

    /** Forgets the oldest orders. */
    public void deliver(int orders) {
        open.subList(0, orders).clear();
    }

    public int size() {
        return open.size();
    }

    public String summary() {
        return StringUtils.joinWith(" ", size(), "open orders");
    }
}
