package com.acme;

import java.util.ArrayList;
import java.util.List;

public class Basket {
    static final List<Basket> ALL = new ArrayList<>();
    private final int[] articles = new int[100];

    public static Basket open() {
        Basket basket = new Basket();
        ALL.add(basket);
        return basket;
    }

    public int article(int at) {
        return articles[at];
    }
}
