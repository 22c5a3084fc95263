package com.acme.leak.prices;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** The prices asked for last, a bounded number of them. */
public final class PriceCache {
    private final LinkedHashMap<String, Price> prices;

    public PriceCache(final int most) {
        prices = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Price> eldest) {
                return size() > most;
            }
        };
    }

    public double price(String symbol, Random random) {
        return prices.computeIfAbsent(symbol, s -> new Price(random.nextDouble() * 100)).value;
    }
}
