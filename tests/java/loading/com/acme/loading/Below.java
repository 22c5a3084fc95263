package com.acme.loading;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Keeps many objects of a class of the JDK, most of them of one below it. */
public final class Below {
    private static final int MAPS = 1000;
    private static final int BELOW = 5000;
    private static final List<Map<String, String>> KEPT = new ArrayList<>();

    private Below() {
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < MAPS; i++) {
            KEPT.add(new HashMap<>());
        }
        for (int i = 0; i < BELOW; i++) {
            KEPT.add(new LinkedHashMap<>());
        }
        System.out.println("made java.util.HashMap " + KEPT.size());
    }
}
