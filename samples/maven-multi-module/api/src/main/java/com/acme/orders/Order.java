package com.acme.orders;

import java.util.ArrayList;
import java.util.List;

/** What somebody ordered. */
public class Order {
    private final List<Line> lines = new ArrayList<>();

    public Order with(String article, int pieces) {
        lines.add(new Line(article, pieces));
        return this;
    }

    public int pieces() {
        return lines.stream().mapToInt(Line::pieces).sum();
    }
}
