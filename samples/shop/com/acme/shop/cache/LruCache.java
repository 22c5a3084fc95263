package com.acme.shop.cache;

import java.util.LinkedHashMap;
import java.util.Map;

/** A bounded map that forgets what was used least recently. */
public final class LruCache<K, V> {
    private final Map<K, V> entries;

    public LruCache(int capacity) {
        entries = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > capacity;
            }
        };
    }

    public V get(K key) {
        return entries.get(key);
    }

    public void put(K key, V value) {
        entries.put(key, value);
    }

    public int size() {
        return entries.size();
    }
}
