package io.weighbridge.runtime.probe;

import java.lang.ref.WeakReference;

/**
 * A weak reference to one registered object, and what is known of its birth.
 *
 * <p>48 bytes with compressed references, 72 without. These are the registry's whole cost to the collector, so fields are
 * few and narrow.
 */
public final class Tracked extends WeakReference<Object> {
    /** Link of the list of references not yet seen by a sweep. */
    public Tracked next;
    /** The registration's number above {@link Origin#BITS} bits for who constructed the object: 10<sup>12</sup> numbers. */
    private final long numberAndOrigin;
    /** So many objects this one stands for: 1 or more. */
    public float weight;
    /** Where the object was constructed; null unless sites are on. */
    public final AllocationSites.Node site;

    /** For an object that has just been constructed. */
    public Tracked(Object o, float weight, long number, int origin, AllocationSites.Node site) {
        this(o, weight, number << Origin.BITS | origin, site);
    }

    private Tracked(Object o, float weight, long numberAndOrigin, AllocationSites.Node site) {
        super(o);
        this.numberAndOrigin = numberAndOrigin;
        this.weight = weight;
        this.site = site;
    }

    /**
     * A younger reference to the same object; this one is cleared. Null if the object is gone. In a
     * generational collector an old reference keeps its young object, dead or not, and what that refers to.
     */
    public Tracked renewed() {
        Object o = get();
        if (o == null) {
            return null;
        }
        Tracked younger;
        try {
            younger = new Tracked(o, weight, numberAndOrigin, site);
        } catch (OutOfMemoryError e) {
            return this;
        }
        // A collector may look for roots in the cards of a dead reference, too.
        clear();
        return younger;
    }

    /** Which registration of this JVM it was: {@code AgeRanges} turn it into an age. */
    public long number() {
        return numberAndOrigin >>> Origin.BITS;
    }

    /** Who constructed the object: see {@link Origin}. */
    public int origin() {
        return (int) numberAndOrigin & (1 << Origin.BITS) - 1;
    }
}
