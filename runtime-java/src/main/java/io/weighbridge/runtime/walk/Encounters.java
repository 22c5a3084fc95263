package io.weighbridge.runtime.walk;

/** References that a walk has read to what it may have met before, and not yet looked up. */
final class Encounters {
    /** Some hundreds of loads on their way are more than any processor keeps. */
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
