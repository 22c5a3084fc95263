package io.weighbridge.runtime.walk;

import java.util.Arrays;

/**
 * Finds objects by their identity hash. Right with every collector, but the table's order does not suit caches, and the first
 * hash of an object is a call into the JVM that writes its header.
 *
 * <p>16 to 21 bytes an object with compressed references: 12 for the order and 4 to 9 for the hash slots.
 */
final class HashedObjects extends ObjectTable {
    /** Open addressing, an object's index plus one; 0 is free. */
    private int[][] slots;
    private int mask;
    private int growAt;

    HashedObjects(boolean keepsHolders) {
        super(keepsHolders);
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

    @Override
    int find(Object o, int granule) {
        int slot = slotOf(o);
        return slots[slot >>> BITS][slot & IN_SEGMENT] - 1;
    }

    @Override
    boolean isNew(int granule) {
        return false;
    }

    @Override
    void guess(Encounters met, int count) {
        Arrays.fill(met.indices, 0, count, NONE);
    }

    /** The slot that holds the object, or else the free one where it belongs. */
    private int slotOf(Object o) {
        int slot = spread(System.identityHashCode(o)) & mask;
        while (true) {
            int entry = slots[slot >>> BITS][slot & IN_SEGMENT];
            if (entry == 0 || object(entry - 1) == o) {
                return slot;
            }
            slot = slot + 1 & mask;
        }
    }

    @Override
    int add(Object o, int granule, long colour, int holder) {
        int index = append(o, colour, holder);
        put(o, index);
        if (size() > growAt) {
            allocate(slots.length * 2);
            for (int i = 0; i < size(); i++) {
                put(object(i), i);
            }
        }
        return index;
    }

    private void put(Object o, int index) {
        int slot = slotOf(o);
        slots[slot >>> BITS][slot & IN_SEGMENT] = index + 1;
    }

    @Override
    long bytes() {
        return bytesOfOrder() + (mask + 1L) * 4;
    }

    /** Identity hashes are random in HotSpot, but a program may choose others (-XX:hashCode). */
    private static int spread(int hash) {
        int h = hash * 0x9E3779B1;
        return h ^ h >>> 15;
    }
}
