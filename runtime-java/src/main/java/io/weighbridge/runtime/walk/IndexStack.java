package io.weighbridge.runtime.walk;

import java.util.Arrays;

/** A stack of ints in segments, so that deep structures cost neither the thread's stack nor copies. */
final class IndexStack {
    private static final int SEGMENT = 8192;
    private int[][] segments = new int[16][];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    void push(int value) {
        int segment = size / SEGMENT;
        if (segment == segments.length) {
            segments = Arrays.copyOf(segments, segment * 2);
        }
        if (segments[segment] == null) {
            segments[segment] = new int[SEGMENT];
        }
        segments[segment][size++ % SEGMENT] = value;
    }

    int pop() {
        size--;
        return segments[size / SEGMENT][size % SEGMENT];
    }

    long bytes() {
        return size * 4L;
    }
}
