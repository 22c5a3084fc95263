package com.acme.shop.web;

import com.acme.shop.catalog.Product;
import java.util.ArrayList;
import java.util.List;

/** What the shop remembers of a visitor. */
public final class Session {
    private final String visitor;
    private final List<Product> visited = new ArrayList<>();

    Session(String visitor) {
        this.visitor = visitor;
    }

    public String visitor() {
        return visitor;
    }

    public void visited(Product product) {
        visited.add(product);
    }
}
