package com.acme.truth;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the program knows of itself: how many objects of a class it made, and which it still holds. */
final class Ledger {
    private final Map<String, Long> constructed = new TreeMap<>();
    private final Map<String, List<Object>> held = new HashMap<>();

    synchronized <T> T held(T o) {
        held.computeIfAbsent(o.getClass().getName(), name -> new ArrayList<>()).add(o);
        made(o.getClass(), 1);
        return o;
    }

    synchronized void made(Class<?> c, long objects) {
        constructed.merge(c.getName(), objects, Long::sum);
    }

    /** One line a class: name, constructed, reachable; with an oracle also shallow bytes, deep bytes, deep objects. */
    void print(Oracle oracle) {
        for (Map.Entry<String, Long> entry : constructed.entrySet()) {
            Object[] roots = held.getOrDefault(entry.getKey(), List.of()).toArray();
            StringBuilder line = new StringBuilder("truth ").append(entry.getKey())
                    .append(' ').append(entry.getValue()).append(' ').append(roots.length);
            if (oracle != null) {
                long shallow = 0;
                for (Object root : roots) {
                    shallow += oracle.shallowBytes(root);
                }
                line.append(' ').append(shallow)
                        .append(' ').append(roots.length == 0 ? 0 : oracle.deepBytes(roots))
                        .append(' ').append(roots.length == 0 ? 0 : oracle.deepObjects(roots));
            }
            System.out.println(line);
        }
    }
}
