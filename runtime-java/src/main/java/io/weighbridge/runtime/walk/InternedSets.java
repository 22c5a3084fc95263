package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.Randomness;
import java.util.Arrays;

/**
 * Sets of small numbers, each named by a number, with their unions remembered.
 *
 * <p>There are only the combinations that really occur. At {@link #LIMIT} of them the walk ends, before memory does.
 */
abstract class InternedSets {
    /** The number of the empty set. */
    static final int EMPTY = 0;
    static final int LIMIT = 1 << 20;
    private static final int MEMO = 1 << 12;

    private int[][] sets = new int[64][];
    private int size;
    private long ints;
    /** Numbers plus one by the hashes of their sets; 0 is free. */
    private int[] table = new int[256];
    private final long[] memoKeys = new long[MEMO];
    private final int[] memoValues = new int[MEMO];

    InternedSets(int[] empty) {
        intern(empty);
    }

    /** Numbers given out. */
    final int size() {
        return size;
    }

    /** What was interned under a number; not to be changed. */
    final int[] get(int set) {
        return sets[set];
    }

    final int union(int a, int b) {
        if (a == b || b == EMPTY) {
            return a;
        }
        if (a == EMPTY) {
            return b;
        }
        long key = (long) Math.min(a, b) << 32 | Math.max(a, b);
        int memo = (int) (Randomness.mix(key) >>> 52);
        if (memoKeys[memo] != key) {
            memoValues[memo] = intern(united(sets[a], sets[b]));
            memoKeys[memo] = key;
        }
        return memoValues[memo];
    }

    abstract int[] united(int[] a, int[] b);

    /** The number of a set, which belongs to this from now on. */
    final int intern(int[] set) {
        int slot = slotOf(set);
        if (table[slot] != 0) {
            return table[slot] - 1;
        }
        if (size == LIMIT) {
            throw new WalkStopped("too many combinations of owners");
        }
        if (size == sets.length) {
            sets = Arrays.copyOf(sets, size * 2);
        }
        sets[size++] = set;
        ints += set.length;
        table[slot] = size;
        if (size * 2 > table.length) {
            table = new int[table.length * 2];
            for (int i = 0; i < size; i++) {
                table[slotOf(sets[i])] = i + 1;
            }
        }
        return size - 1;
    }

    /** The slot of an equal set, or else the free one where this belongs. */
    private int slotOf(int[] set) {
        int hash = Arrays.hashCode(set);
        int slot = (hash ^ hash >>> 15) & table.length - 1;
        while (table[slot] != 0 && !Arrays.equals(sets[table[slot] - 1], set)) {
            slot = slot + 1 & table.length - 1;
        }
        return slot;
    }

    final long bytes() {
        return ints * 4 + size * 28L;
    }
}
