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
        sets.addToMembers(deep.bytes(), deepBytes);
        sets.addToMembers(deep.objects(), deepObjects);
        sets.addToMembers(deep.offHeap(), offHeapBytes);
        RootClassSets combinations = new RootClassSets();
        int[] combination = sets.mapped(componentOf, combinations);
        ColourSums byComponents = new ColourSums();
        for (int colour = 1; colour < combination.length; colour++) {
            long bytes = deep.bytes(colour);
            int single = sets.single(colour);
            if (single >= 0) {
                exclusiveBytes[single] = bytes;
            }
            byComponents.addAll(combination[colour], deep.objects(colour), bytes, deep.offHeap(colour));
        }
        combinations.addToMembers(byComponents.offHeap(), componentOffHeap);
        long measured = 0;
        long shared = 0;
        long outside = 0;
        for (int reached = 1; reached < combinations.size(); reached++) {
            long bytes = byComponents.bytes(reached);
            measured += bytes;
            outside += byComponents.offHeap(reached);
            shared += bytes == 0 ? 0 : addToComponents(combinations, reached, bytes);
        }
        measuredObjects = deep.objectsOfAll();
        measuredBytes = measured;
        measuredOffHeap = outside;
        sharedOnce = shared;
    }

    /** From a heap dump; {@code rows}: the row of each root class in it. */
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

    /** Adds what a combination of components reaches. Returns the bytes if they are shared, 0 if one has them alone. */
    private long addToComponents(RootClassSets combinations, int reached, long bytes) {
        int[] members = new int[componentDeep.length];
        int number = 0;
        for (int c = 0; c < members.length; c++) {
            if (combinations.contains(reached, c)) {
                members[number++] = c;
                componentDeep[c] += bytes;
            }
        }
        if (number == 1) {
            componentExclusive[members[0]] += bytes;
            return 0;
        }
        long even = bytes / number;
        for (int i = 0; i < number; i++) {
            componentEven[members[i]] += i == 0 ? bytes - even * (number - 1) : even;
        }
        return bytes;
    }
}
