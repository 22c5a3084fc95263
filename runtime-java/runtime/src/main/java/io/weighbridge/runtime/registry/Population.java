package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.probe.AllocationSites;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.Tracked;
import java.util.Arrays;

/**
 * The tracked objects of one class at one moment: those that were live at the last full marking ({@link Markings}), or, if
 * none is known, all that no collection has removed. Held strongly, so that all of a measurement sees the same ones.
 */
public final class Population {
    /** The class. */
    public final ClassEntry entry;
    /** Dense, no nulls. */
    public final Object[] objects;
    /** What each stands for, side by side with {@link #objects}; they add up to {@link #number}, unless there is none. */
    public final double[] weights;
    /** Where each was constructed, side by side with {@link #objects}; null while sites are off. */
    public final AllocationSites.Node[] sites;
    /** A full marking is known: {@link #number} says how many lived then. Otherwise dead ones may be among them. */
    public boolean isMarked;
    /** Objects that {@link #objects} stand for: the count of the JVM or of a heap dump, or the sum of the weights. */
    public long number;
    /** One standard error of {@link #number}; 0 if that is exact. */
    public long error;
    /** Objects that no collection has removed, dead ones among them: no more can live. */
    public long notCollected;
    /** One standard error of {@link #notCollected}. */
    public long notCollectedError;
    /** All figures of the class are exact: each of {@link #number} has a reference, or a heap dump has them all. */
    public boolean exact;
    /** Why it is not exact: a word of the recording's format; null if what has no reference was collected after the marking. */
    public final String why;
    /** Shallow bytes of the live objects, if the JVM or a heap dump has counted them; else negative. */
    public long bytes;
    /** Who constructed each: see {@code Origin}. */
    public final int[] origins;
    /** How old they are. */
    public final Ages ages;

    /**
     * Of a class, now. Call under the sweep's lock, after a sweep.
     *
     * @param allocated objects constructed so far: no more can live
     * @param census the JVM's count, or null
     * @param marking what was registered before this number and is left has lived at the last full marking;
     *        {@link Markings#NONE} for all that is left
     */
    public Population(Registry registry, ClassEntry entry, AgeBuckets buckets, long allocated, Census census, long marking) {
        this.entry = entry;
        Sample sample = registry.of(entry).sample;
        Lived lived = registry.of(entry).lived();
        boolean counted = census != null && census.objects(entry) != Census.UNKNOWN;
        isMarked = counted || marking != Markings.NONE;
        // The JVM has just counted those that came meanwhile, too.
        long before = counted || !isMarked ? Long.MAX_VALUE : marking;
        Object[] alive = new Object[sample.count];
        double[] each = sample.weights();
        AllocationSites.Node[] made = AllocationSites.on() ? new AllocationSites.Node[sample.count] : null;
        long[] numbers = new long[sample.count];
        int[] makers = new int[sample.count];
        int n = 0;
        int left = 0;
        double sum = 0;
        for (int i = 0; i < sample.count; i++) {
            Tracked t = sample.kept[i];
            Object o = t.get();
            left += o == null ? 0 : 1;
            if (o != null && t.number() < before) {
                alive[n] = o;
                if (made != null) {
                    made[n] = t.site;
                }
                makers[n] = t.origin();
                numbers[n] = t.number();
                each[n] = each[i];
                sum += each[n++];
            }
        }
        bytes = counted ? census.bytes(entry) : -1;
        // What came since the sweep may live, and what was collected since has not made room for it.
        long all = Math.max(left, Math.min(allocated, Math.round(sample.live()) + sample.since(allocated)));
        notCollected = counted ? census.objects(entry) : all;
        notCollectedError = counted || entry.exact() ? 0 : Lived.error(sample.variance());
        boolean isRemembered = isMarked && !counted && lived != null;
        number = isRemembered ? lived.number : notCollected;
        error = isRemembered ? lived.error : notCollectedError;
        exact = entry.exact() && error == 0 && (number == n || !isMarked);
        why = entry.exact() && !counted ? null : entry.why();
        ages = new Ages(buckets, registry.clock.ranges(), registry.clock.young(), registry.clock.full());
        for (int i = 0; i < n; i++) {
            each[i] *= number / sum;
            ages.add(numbers[i], each[i]);
        }
        objects = Arrays.copyOf(alive, n);
        weights = Arrays.copyOf(each, n);
        sites = made == null ? null : Arrays.copyOf(made, n);
        origins = Arrays.copyOf(makers, n);
    }

    /**
     * A heap dump of the last full marking has so many objects of the class, and their shallow bytes; {@code collected}: it
     * was written right after a full collection, so it has no others.
     */
    public void found(long live, long shallowBytes, boolean collected) {
        double scale = number == 0 ? 0 : (double) live / number;
        for (int i = 0; i < weights.length; i++) {
            weights[i] *= scale;
        }
        isMarked = true;
        number = live;
        error = 0;
        bytes = shallowBytes;
        exact = true;
        notCollected = collected ? live : Math.max(notCollected, live);
        notCollectedError = collected ? 0 : notCollectedError;
    }
}
