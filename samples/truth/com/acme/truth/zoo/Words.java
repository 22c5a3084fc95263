package com.acme.truth.zoo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Collections of the JDK, whose fields a program may not read by reflection. */
public final class Words {
    private final Map<String, List<String>> index = new HashMap<>();
    private final Set<String> order = new LinkedHashSet<>();
    private final TreeMap<Integer, String> sorted = new TreeMap<>();

    public Words(int seed) {
        for (int i = 0; i < seed % 13; i++) {
            String word = "word-" + i * seed;
            index.computeIfAbsent("w" + i % 3, key -> new ArrayList<>()).add(word);
            order.add(word);
            sorted.put(i, word + "\u20ac");
        }
    }

    public int size() {
        return index.size() + order.size() + sorted.size();
    }
}
