package io.weighbridge.runtime.walk;

import java.util.Arrays;

/**
 * Sets with few members, stored in rising order. {@link RootClassSets} is for sets with many.
 *
 * <p>A union that would have more than {@link #most} members below {@link #many} has {@link #many} for all of them.
 */
final class SmallSets extends InternedSets {
    private final int most;
    private final int many;

    SmallSets(int most, int many) {
        super(new int[0]);
        this.most = most;
        this.many = many;
    }

    @Override
    int[] united(int[] a, int[] b) {
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
}
