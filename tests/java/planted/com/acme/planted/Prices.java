package com.acme.planted;

import java.util.HashMap;
import java.util.Map;

/** A static map that only grows. */
class Prices {
    static final Map<String, Quote> SEEN = new HashMap<>();

    static class Quote {
        final String name;
        final long[] history = new long[12];

        Quote(String name) {
            this.name = name;
            history[0] = name.hashCode();
        }
    }

    static void fill(int quotes) {
        for (int i = 0; i < quotes; i++) {
            SEEN.put("isin-" + i, new Quote("quote " + i));
        }
    }
}
