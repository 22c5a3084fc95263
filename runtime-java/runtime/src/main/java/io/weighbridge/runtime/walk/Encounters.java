package io.weighbridge.runtime.walk;

/** References that a walk has read and not yet looked up; it may have met their objects before. */
final class Encounters {
    /** No processor has more loads under way. */
    private static final int MOST = 256;
    final Object[] objects = new Object[MOST];
    /** As {@code Addresses.of}, where the reference was read. */
    final int[] granules = new int[MOST];
    /** What the objects are reached with. */
    final long[] colours = new long[MOST];
    /** What refers to them. */
    final int[] holders = new int[MOST];
    /** For {@link ObjectTable#guess}. */
    final int[] indices = new int[MOST];
    private int size;

    int size() {
        return size;
    }

    boolean isFull() {
        return size == MOST;
    }

    void add(Object o, int granule, long colour, int holder) {
        int at = size++;
        objects[at] = o;
        granules[at] = granule;
        colours[at] = colour;
        holders[at] = holder;
    }

    void clear() {
        size = 0;
    }
}
