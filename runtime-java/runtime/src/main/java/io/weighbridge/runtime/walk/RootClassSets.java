package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.Randomness;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Sets of root classes (ordinals of classes with roots), each named by a number, its colour.
 *
 * <p>A set is a binary tree: a leaf has 32 ordinals as bits, a branch joins what lies below and above its centre. Equal trees
 * are one (they are interned), so sets have one number where they are equal, and share what they have in common. Each tree is
 * made after those it consists of. With thousands of root classes, as bits side by side each set would take a kilobyte; here
 * it takes some 30 bytes for each branch that no other set has. Most sets are made on the way to larger ones: {@link #keep}
 * forgets them.
 */
final class RootClassSets {
    /** The number of the empty set. */
    static final int EMPTY = 0;
    private static final int LEAST = 1 << 8;
    private static final int MOST_MEMO = 1 << 16;
    /** So many numbers, and twice as many as were kept, before it is worth the work to forget some. */
    private static final int MANY = 1 << 14;

    /**
     * By number. The ordinals of a tree, divided by 16, lie around the centre, as far to both sides as the lowest bit of the
     * centre says: an odd centre is that of a leaf.
     */
    private int[] centres = new int[LEAST];
    /** What lies below the centre; of a leaf the bits. */
    private int[] below = new int[LEAST];
    private int[] above = new int[LEAST];
    private int size = 1;
    private int kept;
    /** Numbers by the hashes of their trees; 0 is free. */
    private int[] table = new int[LEAST * 2];
    /** Unions made last: pairs of numbers, and the number of the union. */
    private long[] memoKeys = new long[LEAST * 2];
    private int[] memoValues = new int[LEAST * 2];

    /** Numbers given out. */
    int size() {
        return size;
    }

    int only(int rootClass) {
        return intern(centreOf(rootClass), 1 << rootClass, 0);
    }

    boolean contains(int set, int rootClass) {
        int centre = centreOf(rootClass);
        int at = set;
        while (at != EMPTY && centres[at] != centre) {
            if (!covers(at, centre)) {
                return false;
            }
            at = centre < centres[at] ? below[at] : above[at];
        }
        return at != EMPTY && (below[at] & 1 << rootClass) != 0;
    }

    /** The only member, or a negative number if there is none or more than one. */
    int single(int set) {
        boolean one = set != EMPTY && isLeaf(set) && Integer.bitCount(below[set]) == 1;
        return one ? ordinal(set, Integer.numberOfTrailingZeros(below[set])) : -1;
    }

    int without(int set, int rootClass) {
        int centre = centreOf(rootClass);
        if (set == EMPTY || !covers(set, centre)) {
            return set;
        }
        if (isLeaf(set)) {
            int bits = below[set] & ~(1 << rootClass);
            return bits == 0 ? EMPTY : intern(centre, bits, 0);
        }
        boolean isBelow = centre < centres[set];
        int low = isBelow ? without(below[set], rootClass) : below[set];
        int high = isBelow ? above[set] : without(above[set], rootClass);
        return low == EMPTY ? high : high == EMPTY ? low : intern(centres[set], low, high);
    }

    int union(int a, int b) {
        if (a == b || b == EMPTY) {
            return a;
        }
        if (a == EMPTY) {
            return b;
        }
        long key = (long) Math.min(a, b) << 32 | Math.max(a, b);
        int hash = (int) (Randomness.mix(key) >>> 32);
        int memo = hash & memoKeys.length - 1;
        if (memoKeys[memo] == key) {
            return memoValues[memo];
        }
        int union = united(a, b);
        // Made anew where there are many more by now.
        memo = hash & memoKeys.length - 1;
        memoKeys[memo] = key;
        memoValues[memo] = union;
        return union;
    }

    private int united(int a, int b) {
        int centre = centres[a];
        int other = centres[b];
        if (centre == other) {
            return isLeaf(a) ? intern(centre, below[a] | below[b], 0)
                    : intern(centre, union(below[a], below[b]), union(above[a], above[b]));
        }
        if (covers(a, other)) {
            return other < centre ? intern(centre, union(below[a], b), above[a])
                    : intern(centre, below[a], union(above[a], b));
        }
        if (covers(b, centre)) {
            return united(b, a);
        }
        int apart = Integer.highestOneBit(centre ^ other);
        int between = centre & -apart & ~apart | apart;
        return centre < other ? intern(between, a, b) : intern(between, b, a);
    }

    /** Adds what each set has to each of its members. {@code sums}: by set, up to any length; changed. */
    void addToMembers(long[] sums, long[] members) {
        for (int set = Math.min(size, sums.length) - 1; set > EMPTY; set--) {
            long sum = sums[set];
            if (sum == 0) {
                continue;
            }
            if (isLeaf(set)) {
                for (int bits = below[set]; bits != 0; bits &= bits - 1) {
                    members[ordinal(set, Integer.numberOfTrailingZeros(bits))] += sum;
                }
            } else {
                sums[below[set]] += sum;
                sums[above[set]] += sum;
            }
        }
    }

    /** For each set here the one there whose members are those of this set's members. {@code images}: by member. */
    int[] mapped(int[] images, RootClassSets there) {
        int[] mapped = new int[size];
        for (int set = 1; set < size; set++) {
            if (isLeaf(set)) {
                for (int bits = below[set]; bits != 0; bits &= bits - 1) {
                    int image = images[ordinal(set, Integer.numberOfTrailingZeros(bits))];
                    mapped[set] = there.union(mapped[set], there.only(image));
                }
            } else {
                mapped[set] = there.union(mapped[below[set]], mapped[above[set]]);
            }
        }
        return mapped;
    }

    /** Most of these sets may be in nobody's use. */
    boolean mayForget() {
        return size > MANY && size > kept * 2;
    }

    /** Forgets all sets but some and their parts. Returns the new numbers, by the old ones; 0 for those forgotten. */
    int[] keep(BitSet used) {
        int[] numbers = new int[size];
        for (int set = size - 1; set > EMPTY; set--) {
            if (used.get(set) && !isLeaf(set)) {
                used.set(below[set]);
                used.set(above[set]);
            }
        }
        int n = 1;
        for (int set = used.nextSetBit(1); set >= 0; set = used.nextSetBit(set + 1)) {
            boolean leaf = isLeaf(set);
            numbers[set] = n;
            centres[n] = centres[set];
            below[n] = leaf ? below[set] : numbers[below[set]];
            above[n++] = leaf ? 0 : numbers[above[set]];
        }
        size = n;
        kept = n;
        resize(Math.max(LEAST, Integer.highestOneBit(n) * 2));
        return numbers;
    }

    long bytes() {
        return centres.length * 12L + table.length * 4L + memoKeys.length * 12L;
    }

    private static int centreOf(int rootClass) {
        return rootClass >>> 5 << 1 | 1;
    }

    private int ordinal(int leaf, int bit) {
        return centres[leaf] >>> 1 << 5 | bit;
    }

    private boolean isLeaf(int set) {
        return (centres[set] & 1) != 0;
    }

    /** Whether a tree with another centre would be a part of this one, or equal centres. */
    private boolean covers(int set, int centre) {
        int own = centres[set];
        int reach = own & -own;
        return centre > own - reach && centre < own + reach;
    }

    private int intern(int centre, int low, int high) {
        int slot = slotOf(centre, low, high);
        if (table[slot] != 0) {
            return table[slot];
        }
        if (size == centres.length) {
            resize(size * 2);
            slot = slotOf(centre, low, high);
        }
        centres[size] = centre;
        below[size] = low;
        above[size] = high;
        table[slot] = size;
        return size++;
    }

    /** Also forgets the unions made. */
    private void resize(int length) {
        centres = Arrays.copyOf(centres, length);
        below = Arrays.copyOf(below, length);
        above = Arrays.copyOf(above, length);
        table = new int[length * 2];
        for (int set = 1; set < size; set++) {
            table[slotOf(centres[set], below[set], above[set])] = set;
        }
        memoKeys = new long[Math.min(length * 2, MOST_MEMO)];
        memoValues = new int[memoKeys.length];
    }

    /** The slot of an equal tree, or else the free one where this belongs. */
    private int slotOf(int centre, int low, int high) {
        long mixed = Randomness.mix((long) low << 32 | high & 0xFFFFFFFFL) + centre * 0x9E3779B97F4A7C15L;
        int slot = (int) (mixed ^ mixed >>> 32) & table.length - 1;
        while (true) {
            int set = table[slot];
            if (set == 0 || centres[set] == centre && below[set] == low && above[set] == high) {
                return slot;
            }
            slot = slot + 1 & table.length - 1;
        }
    }
}
