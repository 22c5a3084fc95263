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
    /** Collections of the young generation, and of the whole heap, that the clock had seen at birth. */
    final int young;
    final int full;
    /** The object stands for 2<sup>shift</sup> objects: its gap was drawn with that mean, then doubled at each thinning. */
    byte shift;
    /** Where the object was constructed; null unless sites are on. */
    final AllocationSites.Node site;

    Tracked(Object o, int shift, int young, int full, AllocationSites.Node site) {
        super(o);
        this.shift = (byte) shift;
        this.site = site;
        this.young = young;
        this.full = full;
    }

    /** Collections survived, as far as the clock has seen them. */
    int age(int youngNow, int fullNow) {
        return youngNow - young + (fullNow - full);
    }

    double weight() {
        return (double) (1L << shift);
    }
}
