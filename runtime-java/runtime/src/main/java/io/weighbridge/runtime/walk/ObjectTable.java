package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.Addresses;
import java.util.Arrays;

/**
 * The objects a walk has met, by identity, in the order they were met; each with a colour (two labels, see {@link Walk})
 * and, if asked for, the object through which it was met.
 *
 * <p>Everything lies in segments of 32,768 slots, made as the walk grows and dropped with it: large reference arrays
 * that live long cost G1 a barrier and a card for each store.
 */
abstract class ObjectTable {
    static final int BITS = 15;
    static final int SEGMENT = 1 << BITS;
    static final int IN_SEGMENT = SEGMENT - 1;
    /** No such object. */
    static final int NONE = -1;

    private Object[][] objects = new Object[4][];
    private long[][] colours = new long[4][];
    /** Null if holders are not kept. */
    private int[][] holders;
    private int size;

    ObjectTable(boolean keepsHolders) {
        holders = keepsHolders ? new int[4][] : null;
    }

    /** How many indices there are; those of duplicates that were found later hold null. */
    final int size() {
        return size;
    }

    /** Null for a duplicate that was merged. */
    final Object object(int index) {
        return objects[index >>> BITS][index & IN_SEGMENT];
    }

    final long colour(int index) {
        return colours[index >>> BITS][index & IN_SEGMENT];
    }

    final void colour(int index, long colour) {
        colours[index >>> BITS][index & IN_SEGMENT] = colour;
    }

    final boolean keepsHolders() {
        return holders != null;
    }

    /** The index of the object that refers to this one, or {@link #NONE}. */
    final int holder(int index) {
        return holders[index >>> BITS][index & IN_SEGMENT];
    }

    final void holder(int index, int holder) {
        holders[index >>> BITS][index & IN_SEGMENT] = holder;
    }

    /** The object's index or {@link #NONE}. {@code granule}: from {@link Addresses#of}, where the reference was read. */
    abstract int find(Object o, int granule);

    /** True if {@link #find} would find nothing in this granule. Cheap; false says nothing. */
    abstract boolean isNew(int granule);

    /** Writes the indices of objects met; {@link #NONE} where {@link #find} has to be called. */
    abstract void guess(Encounters met, int count);

    /** Adds what {@link #find} has just not found. Returns its index. */
    abstract int add(Object o, int granule, long colour, int holder);

    /** Bytes of this table, estimated with compressed references. */
    abstract long bytes();

    /**
     * Corrects what collections have made wrong. True if nothing was wrong: every object has one index.
     */
    boolean repair(Duplicates found) {
        return true;
    }

    /** True if {@link #repair} may have something to do; cheap. */
    boolean needsRepair() {
        return false;
    }

    /** What is told of objects that got two indices. */
    interface Duplicates {
        /** The second index is no longer used. Called while it still holds the object. */
        void merge(int first, int second);
    }

    /** Appends to the order. Returns the index. */
    final int append(Object o, long colour, int holder) {
        int index = size++;
        int segment = index >>> BITS;
        int at = index & IN_SEGMENT;
        if (at == 0) {
            if (segment == objects.length) {
                objects = Arrays.copyOf(objects, segment * 2);
                colours = Arrays.copyOf(colours, segment * 2);
                holders = holders == null ? null : Arrays.copyOf(holders, segment * 2);
            }
            colours[segment] = new long[SEGMENT];
            objects[segment] = new Object[SEGMENT];
            if (holders != null) {
                holders[segment] = new int[SEGMENT];
            }
        }
        objects[segment][at] = o;
        colours[segment][at] = colour;
        if (holders != null) {
            holders[segment][at] = holder;
        }
        return index;
    }

    final void forget(int index) {
        objects[index >>> BITS][index & IN_SEGMENT] = null;
    }

    /** The granule in which the object of an index lies now. */
    final int granuleNow(int index) {
        return Addresses.of(objects[index >>> BITS], Addresses.element(index & IN_SEGMENT));
    }

    /** Bytes of references, colours and holders. */
    final long bytesOfOrder() {
        return (long) (size + SEGMENT - 1 >>> BITS) * SEGMENT * (holders == null ? 12 : 16);
    }
}
