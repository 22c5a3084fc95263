package io.weighbridge.runtime;

import java.lang.ref.WeakReference;

/**
 * A weak reference to one registered object, and what is known of its birth.
 *
 * <p>48 bytes with compressed references, 72 without. Several megabytes of these are the registry's whole cost
 * to the collector, so fields are few and narrow.
 */
final class Tracked extends WeakReference<Object> {
    /** Link of the list of references not yet seen by a sweep. */
    Tracked next;
    /** Which registration of this JVM it was: {@link AgeRanges} turn it into an age. */
    final long number;
    /** The sampling shift in the high byte, who constructed the object below it: one word, or each reference has eight more. */
    private int shiftAndOrigin;
    /** Where the object was constructed; null unless sites are on. */
    final AllocationSites.Node site;

    Tracked(Object o, int shift, long number, int origin, AllocationSites.Node site) {
        super(o);
        this.number = number;
        this.shiftAndOrigin = shift << Origin.BITS | origin;
        this.site = site;
    }

    /**
     * A younger reference to the same object in the place of this one, which is cleared; null if the object is gone. In a
     * generational collector a reference that has grown old keeps its young object, dead or not, and what that refers to.
     */
    Tracked renewed() {
        Object o = get();
        if (o == null) {
            return null;
        }
        Tracked younger;
        try {
            younger = new Tracked(o, shift(), number, origin(), site);
        } catch (OutOfMemoryError e) {
            return this;
        }
        // A collector may look for roots in the cards of a dead one, too.
        clear();
        return younger;
    }

    /** The object stands for 2<sup>shift</sup> objects: its gap was drawn with that mean, then doubled at each thinning. */
    int shift() {
        return shiftAndOrigin >>> Origin.BITS;
    }

    void raise(int shift) {
        shiftAndOrigin = shift << Origin.BITS | origin();
    }

    /** Who constructed the object: see {@link Origin}. */
    int origin() {
        return shiftAndOrigin & (1 << Origin.BITS) - 1;
    }

    double weight() {
        return (double) (1L << shift());
    }
}
