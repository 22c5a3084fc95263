package io.weighbridge.runtime;

import java.util.Arrays;

/**
 * The tracked objects of one class at one moment, held strongly so that a measurement sees the same ones throughout.
 */
final class Population {
    final ClassEntry entry;
    /** Dense, no nulls. */
    final Object[] objects;
    /** What each stands for, side by side with {@link #objects}. */
    final double[] weights;
    /** Where each was constructed, side by side with {@link #objects}; null while sites are off. */
    final AllocationSites.Node[] sites;
    /** Unbiased, in objects. */
    final long live;
    /** One standard error of {@link #live}. */
    final long error;
    final boolean exact;
    /** Who constructed each: see {@link Origin}. */
    final int[] origins;
    final Ages ages;

    private Population(ClassEntry entry, Object[] objects, double[] weights, AllocationSites.Node[] sites, boolean exact, int shift,
            int[] origins, Ages ages) {
        this.entry = entry;
        this.objects = objects;
        this.weights = weights;
        this.sites = sites;
        this.exact = exact;
        this.origins = origins;
        this.ages = ages;
        double sum = 0;
        double variance = 0;
        for (double w : weights) {
            sum += w;
            variance += w * (w - 1);
        }
        live = Math.round(sum);
        if (!exact) {
            // Where no reference is left, or none but those of weight 1, the sum knows no error; at the rate in force, or at
            // the half that came before it, one object may just have been missed.
            double rate = (double) (1L << Math.max(1, shift));
            variance = Math.max(variance, rate * (rate - 1));
        }
        error = exact ? 0 : (long) Math.ceil(Math.sqrt(variance));
    }

    /** Takes a class's population. Call under the sweep's lock, after a sweep. */
    static Population of(ClassEntry entry, AgeBuckets buckets) {
        Object[] objects = new Object[entry.count];
        double[] weights = new double[entry.count];
        AllocationSites.Node[] sites = AllocationSites.on() ? new AllocationSites.Node[entry.count] : null;
        int n = 0;
        int[] origins = new int[entry.count];
        Ages ages = new Ages(buckets, CollectionClock.ranges(), CollectionClock.young(), CollectionClock.full());
        for (int i = 0; i < entry.count; i++) {
            Tracked t = entry.kept[i];
            Object o = t.get();
            if (o != null) {
                objects[n] = o;
                if (sites != null) {
                    sites[n] = t.site;
                }
                origins[n] = t.origin();
                weights[n++] = t.weight();
                ages.add(t.number, 1L << t.shift());
            }
        }
        boolean exact = entry.exact();
        return new Population(entry, Arrays.copyOf(objects, n), Arrays.copyOf(weights, n),
                sites == null ? null : Arrays.copyOf(sites, n), exact, entry.shift(), Arrays.copyOf(origins, n), ages);
    }
}
