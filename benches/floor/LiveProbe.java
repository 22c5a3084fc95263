package io.weighbridge.runtime.probe;

import java.util.function.ObjIntConsumer;

/**
 * Instead of the runtime's: the least that any counter in a constructor does, and so what part of a program's overhead is
 * not ours to avoid. Wrong with two threads, and nothing is ever registered.
 */
public final class LiveProbe implements ObjIntConsumer<Object> {
    public static final LiveProbe INSTANCE = new LiveProbe();
    private static final long[] COUNTS = new long[1 << 14];

    private LiveProbe() {
    }

    @Override
    public void accept(Object o, int id) {
        COUNTS[id & COUNTS.length - 1]++;
    }
}
