package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.probe.AllocationSites;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.Tracked;
import java.util.Arrays;

/**
 * The tracked objects of one class at one moment, held strongly so that a measurement sees the same ones throughout.
 */
public final class Population {
    /** Of a class some object of which may have no reference: one object more or less. */
    private static final double LEAST_VARIANCE = 1;
    /** The class. */
    public final ClassEntry entry;
    /** Dense, no nulls. */
    public final Object[] objects;
    /** What each stands for, side by side with {@link #objects}; they add up to {@link #live}, unless there is none. */
    public final double[] weights;
    /** Where each was constructed, side by side with {@link #objects}; null while sites are off. */
    public final AllocationSites.Node[] sites;
    /** In objects: the JVM's own count, or the sum of the weights. */
    public final long live;
    /** One standard error of {@link #live}; 0 if that is exact. */
    public final long error;
    /** Every live object has a reference, so that all that is said of the class is exact. */
    public final boolean exact;
    /** Why it is not exact: a word of the recording's format. */
    public final String why;
    /** Shallow bytes of the live objects by the JVM's own count; negative if it has not counted them. */
    public final long bytes;
    /** Who constructed each: see {@code Origin}. */
    public final int[] origins;
    /** How old they are. */
    public final Ages ages;

    private Population(ClassEntry entry, Object[] objects, double[] weights, AllocationSites.Node[] sites, long live, long error,
            long bytes, int[] origins, Ages ages) {
        this.entry = entry;
        this.objects = objects;
        this.weights = weights;
        this.sites = sites;
        this.live = live;
        this.error = error;
        this.exact = entry.exact();
        this.why = entry.why();
        this.bytes = bytes;
        this.origins = origins;
        this.ages = ages;
    }

    /**
     * Takes a class's population. Call under the sweep's lock, after a sweep.
     *
     * @param allocated objects constructed so far: no more can live
     * @param census the JVM's count, or null
     */
    public static Population of(Registry registry, ClassEntry entry, AgeBuckets buckets, long allocated, Census census) {
        Sample sample = registry.of(entry).sample;
        Object[] objects = new Object[sample.count];
        double[] weights = sample.weights();
        AllocationSites.Node[] sites = AllocationSites.on() ? new AllocationSites.Node[sample.count] : null;
        long[] numbers = new long[sample.count];
        int[] origins = new int[sample.count];
        int n = 0;
        double sum = 0;
        for (int i = 0; i < sample.count; i++) {
            Tracked t = sample.kept[i];
            Object o = t.get();
            if (o != null) {
                objects[n] = o;
                if (sites != null) {
                    sites[n] = t.site;
                }
                origins[n] = t.origin();
                numbers[n] = t.number();
                weights[n] = weights[i];
                sum += weights[n++];
            }
        }
        boolean counted = census != null && census.objects(entry) != Census.UNKNOWN;
        long live = counted ? census.objects(entry)
                : Math.max(n, Math.min(allocated, Math.round(sample.live())));
        double variance = counted || entry.exact() ? 0 : Math.max(sample.variance(), LEAST_VARIANCE);
        Ages ages = new Ages(buckets, registry.clock.ranges(), registry.clock.young(), registry.clock.full());
        for (int i = 0; i < n; i++) {
            weights[i] *= live / sum;
            ages.add(numbers[i], weights[i]);
        }
        return new Population(entry, Arrays.copyOf(objects, n), Arrays.copyOf(weights, n),
                sites == null ? null : Arrays.copyOf(sites, n), live, (long) Math.ceil(Math.sqrt(variance)),
                counted ? census.bytes(entry) : -1, Arrays.copyOf(origins, n), ages);
    }
}
