package io.weighbridge.runtime.registry;

import java.util.BitSet;

/** The ages of one class's tracked objects at one moment, in collections survived. */
public final class Ages {
    private final AgeBuckets buckets;
    private final AgeRanges ranges;
    private final int youngNow;
    private final int fullNow;
    private final BitSet met = new BitSet();
    private final double[] all;
    private final double[] full;
    /** The largest age. */
    public int oldest;
    /** The full collections in it. */
    public int oldestFull;

    Ages(AgeBuckets buckets, AgeRanges ranges, int youngNow, int fullNow) {
        this.buckets = buckets;
        this.ranges = ranges;
        this.youngNow = youngNow;
        this.fullNow = fullNow;
        this.all = new double[buckets.from.length];
        this.full = new double[buckets.from.length];
    }

    /** Takes in an object that stands for {@code weight}. */
    void add(long number, double weight) {
        int range = ranges.find(number);
        int f = ranges.fullSince(range, fullNow);
        int age = ranges.youngSince(range, youngNow) + f;
        all[buckets.of(age)] += weight;
        full[buckets.of(f)] += weight;
        oldest = Math.max(oldest, age);
        oldestFull = Math.max(oldestFull, f);
        met.set(range);
    }

    /** Live objects by bucket of their age, young and full collections together; they add up to {@code live}. */
    public long[] all(long live) {
        return Rounding.parts(all, live);
    }

    /** The same by full collections alone. */
    public long[] full(long live) {
        return Rounding.parts(full, live);
    }

    /** Surviving generations: the number of different ages. Of a sampled class, of its tracked objects. */
    public int generations() {
        return met.cardinality();
    }
}
