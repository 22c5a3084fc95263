package io.weighbridge;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Stands for the runtime's: tests say what it admits, and read what it was asked. */
public final class Weighbridge {
    public static final List<String> TOLD = Collections.synchronizedList(new ArrayList<>());
    public static volatile boolean admits = true;

    private Weighbridge() {
    }

    public static boolean admit(String key, String value) {
        TOLD.add("admit " + key + "=" + value);
        return admits;
    }

    public static AutoCloseable scope(String key, String value) {
        TOLD.add("open " + key + "=" + value);
        return () -> TOLD.add("close " + key + "=" + value);
    }

    /** For the next test. */
    public static void reset() {
        TOLD.clear();
        admits = true;
    }
}
