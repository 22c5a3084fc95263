package io.weighbridge.runtime.walk;

import java.util.Arrays;

/**
 * Who holds how much, taken from a walk that has ended.
 *
 * <p>Every object met is added to exactly one colour, and each figure is a sum over colours. So the measured bytes equal
 * the components' exclusive bytes plus the shared ones once, and also the exclusive plus the evenly split ones, to the byte.
 */
public final class Attribution {
    /** By root class: what its objects reach. */
    public final long[] deepBytes;
    /** By root class: how many its objects reach, themselves included. */
    public final long[] deepObjects;
    /** By root class: what no other root class reaches. */
    public final long[] exclusiveBytes;
    /** By root class: bytes outside the heap, which are in none of the other figures. */
    public final long[] offHeapBytes;
    /** By the component's ordinal: bytes outside the heap. */
    public final long[] componentOffHeap;
    /** Bytes outside the heap, of all that was met. */
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

    /** {@code componentOf} gives each root class's component, an ordinal below {@code components}. */
    Attribution(ColourSums deep, RootClassSets sets, int[] componentOf, int components) {
        int rootClasses = componentOf.length;
        deepBytes = new long[rootClasses];
        deepObjects = new long[rootClasses];
        exclusiveBytes = new long[rootClasses];
        offHeapBytes = new long[rootClasses];
        componentOffHeap = new long[components];
        componentDeep = new long[components];
        componentExclusive = new long[components];
        componentEven = new long[components];
        long measured = 0;
        long shared = 0;
        long outside = 0;
        boolean[] reach = new boolean[components];
        for (int colour = 1; colour < sets.size(); colour++) {
            long objects = deep.objects(colour);
            if (objects == 0) {
                continue;
            }
            long bytes = deep.bytes(colour);
            measured += bytes;
            Arrays.fill(reach, false);
            int single = addToRootClasses(sets, colour, bytes, objects, componentOf, reach);
            if (single >= 0) {
                exclusiveBytes[single] += bytes;
            }
            shared += addToComponents(reach, bytes);
            long offHeap = deep.offHeap(colour);
            if (offHeap > 0) {
                addOffHeap(sets, colour, offHeap, reach);
                outside += offHeap;
            }
        }
        measuredObjects = deep.objects();
        measuredBytes = measured;
        measuredOffHeap = outside;
        sharedOnce = shared;
    }

    /** From a heap dump; {@code rows}: the place of each root class in it. */
    Attribution(DumpFigures dump, int[] rows, int components) {
        deepBytes = DumpFigures.at(dump.ofRows(4), rows);
        deepObjects = DumpFigures.at(dump.ofRows(5), rows);
        exclusiveBytes = DumpFigures.at(dump.ofRows(6), rows);
        offHeapBytes = DumpFigures.at(dump.ofRows(7), rows);
        componentDeep = Arrays.copyOf(dump.ofComponents(2), components);
        componentExclusive = Arrays.copyOf(dump.ofComponents(3), components);
        componentEven = Arrays.copyOf(dump.ofComponents(4), components);
        componentOffHeap = Arrays.copyOf(dump.ofComponents(5), components);
        measuredObjects = dump.reachedObjects();
        measuredBytes = dump.reachedBytes();
        measuredOffHeap = dump.offHeapBytes();
        sharedOnce = dump.sharedOnce();
    }

    /** Marks the components reached; returns the only root class, or -1 if there are several. */
    private int addToRootClasses(RootClassSets sets, int colour, long bytes, long objects, int[] componentOf, boolean[] reach) {
        int number = 0;
        int last = -1;
        for (int rootClass = 0; rootClass < componentOf.length; rootClass++) {
            if (sets.contains(colour, rootClass)) {
                deepBytes[rootClass] += bytes;
                deepObjects[rootClass] += objects;
                reach[componentOf[rootClass]] = true;
                number++;
                last = rootClass;
            }
        }
        return number == 1 ? last : -1;
    }

    private void addOffHeap(RootClassSets sets, int colour, long bytes, boolean[] reach) {
        for (int rootClass = 0; rootClass < offHeapBytes.length; rootClass++) {
            offHeapBytes[rootClass] += sets.contains(colour, rootClass) ? bytes : 0;
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
