package com.acme.leak.feed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tells subscribers of prices; a subscription is kept until it is cancelled. */
public final class Feed {
    private final Map<String, List<Subscription>> bySymbol = new HashMap<>();

    public Subscription subscribe(String symbol) {
        Subscription subscription = new Subscription(this, symbol);
        bySymbol.computeIfAbsent(symbol, s -> new ArrayList<>()).add(subscription);
        return subscription;
    }

    void cancel(Subscription subscription) {
        bySymbol.computeIfPresent(subscription.symbol(), (symbol, list) -> {
            list.remove(subscription);
            return list.isEmpty() ? null : list;
        });
    }
}
