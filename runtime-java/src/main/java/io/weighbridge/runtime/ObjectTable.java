package io.weighbridge.runtime;

import java.util.Arrays;

/**
 * The objects a walk has met, by identity, in the order they were met; each with a colour.
 *
 * <p>Everything lies in segments of 32,768 slots, made as the walk grows and dropped with it: large reference arrays
 * that live long cost G1 a barrier and a card for each store. 12 to 17 bytes an object with compressed references:
 * 4 for the reference, 4 for the colour, 4 to 9 for the hash slots, and a bit.
 */
final class ObjectTable {
    private static final int BITS = 15;
    private static final int SEGMENT = 1 << BITS;
    private static final int IN_SEGMENT = SEGMENT - 1;

    private Object[][] objects = new Object[4][];
    private int[][] colours = new int[4][];
    private int size;
    /** Open addressing, an object's index plus one; 0 is free. */
    private int[][] slots;
    private int mask;
    private int growAt;

    ObjectTable() {
        allocate(1);
    }

    private void allocate(int segments) {
        slots = new int[segments][];
        for (int i = 0; i < segments; i++) {
            slots[i] = new int[SEGMENT];
        }
        mask = segments * SEGMENT - 1;
        growAt = (int) (segments * (long) SEGMENT * 7 / 8);
    }

    int size() {
        return size;
    }

    Object object(int index) {
        return objects[index >>> BITS][index & IN_SEGMENT];
    }

    int colour(int index) {
        return colours[index >>> BITS][index & IN_SEGMENT];
    }

    void colour(int index, int colour) {
        colours[index >>> BITS][index & IN_SEGMENT] = colour;
    }

    /** The object's index, or {@code ~slot}, where {@link #add} puts it. */
    int find(Object o) {
        int slot = spread(System.identityHashCode(o)) & mask;
        while (true) {
            int entry = slots[slot >>> BITS][slot & IN_SEGMENT];
            if (entry == 0) {
                return ~slot;
            }
            if (object(entry - 1) == o) {
                return entry - 1;
            }
            slot = slot + 1 & mask;
        }
    }

    /** Adds what {@link #find} has just not found. Returns its index. */
    int add(Object o, int slot, int colour) {
        int segment = size >>> BITS;
        if ((size & IN_SEGMENT) == 0) {
            if (segment == objects.length) {
                objects = Arrays.copyOf(objects, segment * 2);
                colours = Arrays.copyOf(colours, segment * 2);
            }
            colours[segment] = new int[SEGMENT];
            objects[segment] = new Object[SEGMENT];
        }
        objects[segment][size & IN_SEGMENT] = o;
        colours[segment][size & IN_SEGMENT] = colour;
        slots[slot >>> BITS][slot & IN_SEGMENT] = ++size;
        if (size > growAt) {
            grow();
        }
        return size - 1;
    }

    private void grow() {
        allocate(slots.length * 2);
        for (int i = 0; i < size; i++) {
            int slot = spread(System.identityHashCode(object(i))) & mask;
            while (slots[slot >>> BITS][slot & IN_SEGMENT] != 0) {
                slot = slot + 1 & mask;
            }
            slots[slot >>> BITS][slot & IN_SEGMENT] = i + 1;
        }
    }

    /** Bytes of this table, estimated with compressed references. */
    long bytes() {
        return (long) (size + SEGMENT - 1 >>> BITS) * SEGMENT * 8 + (mask + 1L) * 4;
    }

    /** Identity hashes are random in HotSpot, but a program may choose others (-XX:hashCode). */
    private static int spread(int hash) {
        int h = hash * 0x9E3779B1;
        return h ^ h >>> 15;
    }
}
