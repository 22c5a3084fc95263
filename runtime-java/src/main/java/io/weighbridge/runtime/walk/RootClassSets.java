package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.Randomness;
import java.util.Arrays;

/**
 * Sets of root classes, each named by a small number (its colour), with their unions remembered.
 *
 * <p>A root class is an ordinal of a class with roots. There are as many colours as combinations that really occur;
 * {@link #LIMIT} of them end the walk rather than the memory.
 */
final class RootClassSets {
    /** Colour of the empty set. */
    static final int NOBODY = 0;
    static final int LIMIT = 1 << 20;
    private static final int MEMO = 1 << 12;

    private final int words;
    private long[][] sets = new long[64][];
    private int size;
    private int[] table = new int[256];
    private final long[] memoKeys = new long[MEMO];
    private final int[] memoValues = new int[MEMO];

    RootClassSets(int rootClasses) {
        words = Math.max(1, rootClasses + 63 >>> 6);
        intern(new long[words]);
    }

    int size() {
        return size;
    }

    int bytesEach() {
        return 16 + 8 * words + 12;
    }

    boolean contains(int colour, int rootClass) {
        return (sets[colour][rootClass >>> 6] & 1L << rootClass) != 0;
    }

    /** The words of a set, not to be changed. */
    long[] set(int colour) {
        return sets[colour];
    }

    int only(int rootClass) {
        long[] set = new long[words];
        set[rootClass >>> 6] |= 1L << rootClass;
        return intern(set);
    }

    int union(int a, int b) {
        if (a == b || b == NOBODY) {
            return a;
        }
        if (a == NOBODY) {
            return b;
        }
        long key = (long) Math.min(a, b) << 32 | Math.max(a, b);
        int slot = (int) (Randomness.mix(key) >>> 52);
        if (memoKeys[slot] == key) {
            return memoValues[slot];
        }
        long[] set = sets[a].clone();
        for (int i = 0; i < words; i++) {
            set[i] |= sets[b][i];
        }
        int union = Arrays.equals(set, sets[a]) ? a : Arrays.equals(set, sets[b]) ? b : intern(set);
        memoKeys[slot] = key;
        memoValues[slot] = union;
        return union;
    }

    int without(int colour, int rootClass) {
        if (!contains(colour, rootClass)) {
            return colour;
        }
        long[] set = sets[colour].clone();
        set[rootClass >>> 6] &= ~(1L << rootClass);
        return intern(set);
    }

    private int intern(long[] set) {
        int slot = Arrays.hashCode(set) & table.length - 1;
        while (table[slot] != 0) {
            if (Arrays.equals(sets[table[slot] - 1], set)) {
                return table[slot] - 1;
            }
            slot = slot + 1 & table.length - 1;
        }
        if (size == LIMIT) {
            throw new WalkStopped("too many combinations of owners");
        }
        if (size == sets.length) {
            sets = Arrays.copyOf(sets, size * 2);
        }
        sets[size++] = set;
        table[slot] = size;
        if (size * 2 > table.length) {
            rehash();
        }
        return size - 1;
    }

    private void rehash() {
        table = new int[table.length * 2];
        for (int i = 0; i < size; i++) {
            int slot = Arrays.hashCode(sets[i]) & table.length - 1;
            while (table[slot] != 0) {
                slot = slot + 1 & table.length - 1;
            }
            table[slot] = i + 1;
        }
    }
}
