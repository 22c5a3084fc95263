package com.acme.probed;

import java.util.ArrayList;
import java.util.List;

/** Calls with arguments of all kinds. */
final class Told {
    private Told() {
    }

    static void outer(long a, String text, double b, int[] numbers, Object nothing) throws InterruptedException {
        inner(new ArrayList<>(), 1L, text, "four", "five");
        none(1, 2.0);
        // Slower than all others that are kept.
        Thread.sleep(5);
    }

    private static void inner(List<Object> list, Object number, String text, String four, String five) {
    }

    private static void none(int a, double b) {
    }

    static void tell(int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            outer(i, "text", 2.0, new int[0], null);
        }
    }
}
