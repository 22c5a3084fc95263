package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.Randomness;
import java.util.Arrays;

/**
 * Sets of small numbers with few members, each named by a number, with their unions remembered. {@link RootClassSets} is for
 * sets with many.
 */
final class SmallSets {
    static final int EMPTY = 0;
    private static final int LIMIT = 1 << 20;
    private static final int MEMO = 1 << 12;

    private int[][] sets = new int[64][];
    private int size;
    private long members;
    private int[] table = new int[256];
    private final long[] memoKeys = new long[MEMO];
    private final int[] memoValues = new int[MEMO];

    SmallSets() {
        intern(new int[0]);
    }

    int size() {
        return size;
    }

    /** The members, rising; not to be changed. */
    int[] get(int set) {
        return sets[set];
    }

    /** {@code members}: rising. It belongs to this from now on. */
    int intern(int[] set) {
        int slot = slotOf(set);
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
        members += set.length;
        table[slot] = size;
        if (size * 2 > table.length) {
            rehash();
        }
        return size - 1;
    }

    /** The union of two, as {@link #merged}. One walk uses one pair of {@code most} and {@code many}. */
    int union(int a, int b, int most, int many) {
        long key = (long) Math.min(a, b) << 32 | Math.max(a, b);
        int memo = (int) (Randomness.mix(key) >>> 52);
        if (memoKeys[memo] != key) {
            memoValues[memo] = intern(merged(sets[a], sets[b], most, many));
            memoKeys[memo] = key;
        }
        return memoValues[memo];
    }

    /** The union; where it would have more than {@code most} members below {@code many}, it has {@code many} for all of them. */
    private static int[] merged(int[] a, int[] b, int most, int many) {
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

    long bytes() {
        return members * 4 + size * 28L;
    }

    private int slotOf(int[] set) {
        int hash = Arrays.hashCode(set);
        return (hash ^ hash >>> 15) & table.length - 1;
    }

    private void rehash() {
        table = new int[table.length * 2];
        for (int i = 0; i < size; i++) {
            int slot = slotOf(sets[i]);
            while (table[slot] != 0) {
                slot = slot + 1 & table.length - 1;
            }
            table[slot] = i + 1;
        }
    }
}
