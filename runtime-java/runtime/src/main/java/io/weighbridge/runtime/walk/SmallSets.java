package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.Randomness;
import java.util.Arrays;

/**
 * Sets with few small numbers in rising order, each named by a number, with their unions remembered. {@link RootClassSets} is
 * for sets with many.
 *
 * <p>A union that would have more than {@link #most} members below {@link #many} has {@link #many} for all of them. There are
 * only the combinations that really occur. At {@link #LIMIT} of them the walk ends, before memory does.
 */
final class SmallSets {
    /** The number of the empty set. */
    static final int EMPTY = 0;
    static final int LIMIT = 1 << 20;
    private static final int MEMO = 1 << 12;

    private final int most;
    private final int many;
    private int[][] sets = new int[64][];
    private int size;
    private long ints;
    /** Numbers plus one by the hashes of their sets; 0 is free. */
    private int[] table = new int[256];
    private final long[] memoKeys = new long[MEMO];
    private final int[] memoValues = new int[MEMO];

    SmallSets(int most, int many) {
        this.most = most;
        this.many = many;
        intern(new int[0]);
    }

    /** Numbers given out. */
    int size() {
        return size;
    }

    /** What was interned under a number; not to be changed. */
    int[] get(int set) {
        return sets[set];
    }

    int union(int a, int b) {
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

    private int[] united(int[] a, int[] b) {
        int[] all = new int[a.length + b.length];
        int n = 0;
        int below = 0;
        for (int i = 0, j = 0; i < a.length || j < b.length; ) {
            int next = j == b.length || i < a.length && a[i] <= b[j] ? a[i] : b[j];
            i += i < a.length && a[i] == next ? 1 : 0;
            j += j < b.length && b[j] == next ? 1 : 0;
            below += next < many ? 1 : 0;
            all[n++] = next;
        }
        boolean full = below > 0 && (below > most || n > below && all[below] == many);
        if (!full) {
            return Arrays.copyOf(all, n);
        }
        int skipped = n > below && all[below] == many ? below + 1 : below;
        int[] cut = new int[n - skipped + 1];
        cut[0] = many;
        System.arraycopy(all, skipped, cut, 1, n - skipped);
        return cut;
    }

    /** The number of a set, which belongs to this from now on. */
    int intern(int[] set) {
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

    long bytes() {
        return ints * 4 + size * 28L;
    }
}
