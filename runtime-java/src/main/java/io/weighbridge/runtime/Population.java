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
    /** Collections survived by the oldest. */
    final int oldest;

    private Population(ClassEntry entry, Object[] objects, double[] weights, AllocationSites.Node[] sites, boolean exact, int shift,
            int oldest) {
        this.entry = entry;
        this.objects = objects;
        this.weights = weights;
        this.sites = sites;
        this.exact = exact;
        this.oldest = oldest;
        double sum = 0;
        double variance = 0;
        for (double w : weights) {
            sum += w;
            variance += w * (w - 1);
        }
        live = Math.round(sum);
        if (!exact) {
            // Where no reference is left the sum knows no error; at the rate in force one may just have been missed.
            double rate = (double) (1L << shift);
            variance = Math.max(variance, rate * (rate - 1));
        }
        error = exact ? 0 : (long) Math.ceil(Math.sqrt(variance));
    }

    /** Takes a class's population. Call under the sweep's lock, after a sweep. */
    static Population of(ClassEntry entry) {
        Object[] objects = new Object[entry.count];
        double[] weights = new double[entry.count];
        AllocationSites.Node[] sites = AllocationSites.on() ? new AllocationSites.Node[entry.count] : null;
        int n = 0;
        int oldest = 0;
        for (int i = 0; i < entry.count; i++) {
            Tracked t = entry.kept[i];
            Object o = t.get();
            if (o != null) {
                objects[n] = o;
                if (sites != null) {
                    sites[n] = t.site;
                }
                weights[n++] = t.weight();
                oldest = Math.max(oldest, t.age(CollectionClock.young, CollectionClock.full));
            }
        }
        boolean exact = entry.exact();
        return new Population(entry, Arrays.copyOf(objects, n), Arrays.copyOf(weights, n),
                sites == null ? null : Arrays.copyOf(sites, n), exact, entry.shift(), oldest);
    }

    /** Shallow bytes of the live objects: of the tracked ones, each times what it stands for. */
    long shallowBytes(Shapes shapes) {
        double bytes = 0;
        for (int i = 0; i < objects.length; i++) {
            Class<?> type = objects[i].getClass();
            Shape shape = shapes.get(type);
            bytes += weights[i] * (shape == Shape.SKIPPED ? 0 : shapes.bytes(objects[i], shape));
        }
        return Math.round(bytes);
    }
}
