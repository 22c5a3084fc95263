package io.weighbridge.runtime.walk;

import java.util.Arrays;

/**
 * Who holds how much, taken from a settled walk.
 *
 * <p>Every object met is added to exactly one colour, and each figure is a sum over colours, so that the measured
 * bytes are the components' exclusive bytes plus the shared ones once, and also the exclusive plus the evenly split
 * ones, to the byte.
 */
public final class Attribution {
    /** By owner: what its objects reach. */
    public final long[] deepBytes;
    /** By owner: how many its objects reach, themselves included. */
    public final long[] deepObjects;
    /** By owner: what no other owner reaches. */
    public final long[] exclusiveBytes;
    /** Outside the heap, and in none of the other figures. */
    public final long[] offHeapBytes;
    /** The same by the component's ordinal. */
    public final long[] componentOffHeap;
    /** The same of all that was met. */
    public final long measuredOffHeap;
    /** By the component's ordinal: what its objects reach. */
    public final long[] componentDeep;
    /** By the component's ordinal: what no other component reaches. */
    public final long[] componentExclusive;
    /** By the component's ordinal: its part of what several reach, split evenly. */
    public final long[] componentEven;
    /** Objects met. */
    public final long measuredObjects;
    /** Bytes of the objects met. */
    public final long measuredBytes;
    /** Bytes that several components reach, each object once. */
    public final long sharedOnce;

    /** {@code componentOf} gives each owner's component, an ordinal below {@code components}. */
    Attribution(Tally tally, OwnerSets sets, int[] componentOf, int components) {
        int owners = componentOf.length;
        deepBytes = new long[owners];
        deepObjects = new long[owners];
        exclusiveBytes = new long[owners];
        offHeapBytes = new long[owners];
        componentOffHeap = new long[components];
        componentDeep = new long[components];
        componentExclusive = new long[components];
        componentEven = new long[components];
        long measured = 0;
        long shared = 0;
        long outside = 0;
        boolean[] reach = new boolean[components];
        for (int colour = 1; colour < sets.size(); colour++) {
            long objects = tally.objects(colour);
            if (objects == 0) {
                continue;
            }
            long bytes = tally.bytes(colour);
            measured += bytes;
            Arrays.fill(reach, false);
            int single = addToOwners(sets, colour, bytes, objects, componentOf, reach);
            if (single >= 0) {
                exclusiveBytes[single] += bytes;
            }
            shared += addToComponents(reach, bytes);
            long offHeap = tally.offHeap(colour);
            if (offHeap > 0) {
                addOffHeap(sets, colour, offHeap, reach);
                outside += offHeap;
            }
        }
        measuredObjects = tally.objects();
        measuredBytes = measured;
        measuredOffHeap = outside;
        sharedOnce = shared;
    }

    /** Marks the components reached; returns the only owner, or -1 if there are several. */
    private int addToOwners(OwnerSets sets, int colour, long bytes, long objects, int[] componentOf, boolean[] reach) {
        int number = 0;
        int last = -1;
        for (int owner = 0; owner < componentOf.length; owner++) {
            if (sets.contains(colour, owner)) {
                deepBytes[owner] += bytes;
                deepObjects[owner] += objects;
                reach[componentOf[owner]] = true;
                number++;
                last = owner;
            }
        }
        return number == 1 ? last : -1;
    }

    private void addOffHeap(OwnerSets sets, int colour, long bytes, boolean[] reach) {
        for (int owner = 0; owner < offHeapBytes.length; owner++) {
            offHeapBytes[owner] += sets.contains(colour, owner) ? bytes : 0;
        }
        for (int c = 0; c < reach.length; c++) {
            componentOffHeap[c] += reach[c] ? bytes : 0;
        }
    }

    /** Returns the bytes if they are shared, 0 if one component has them alone. */
    private long addToComponents(boolean[] reach, long bytes) {
        int number = 0;
        int first = -1;
        for (int c = reach.length - 1; c >= 0; c--) {
            if (reach[c]) {
                componentDeep[c] += bytes;
                number++;
                first = c;
            }
        }
        if (number == 1) {
            componentExclusive[first] += bytes;
            return 0;
        }
        long even = bytes / number;
        for (int c = 0; c < reach.length; c++) {
            if (reach[c]) {
                componentEven[c] += c == first ? bytes - even * (number - 1) : even;
            }
        }
        return bytes;
    }
}
