package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.Addresses;
import java.util.BitSet;

/**
 * The objects that a walk has met, with their labels.
 *
 * <p>References to what may have been met before are kept back ({@link Encounters}) and looked up together, so that these
 * loads wait for memory together. An object gets its finder's colour when it is met. When it is read, its class is known, and
 * so is what may enter its own label. If its sets grow after that, it is marked: what it refers to must get the new labels.
 */
final class Reached implements ObjectTable.Duplicates {
    final ObjectTable met;
    /** By deep label. */
    final ColourSums deep = new ColourSums();
    /** By own label. */
    final ColourSums own = new ColourSums();
    /** Objects that were read, and whose sets grew since. */
    final Marks marks = new Marks();
    /** By root class: its objects that were met, but are no roots. */
    final long[] untracked;
    /** Objects of classes with references that could not be read. */
    long closedObjects;
    /** Objects before this index are roots. */
    private int roots;
    /** Null unless holders are kept. */
    private RootHolders holders;
    private final Shapes shapes;
    private final RecentShapes recent;
    private final RootClassSets sets;
    private final OwnLabels labels;
    /** By root class: the set of it alone; empty until it is needed. */
    private final int[] alone;
    /** Objects that were read. */
    private final BitSet read = new BitSet();
    private final Encounters pending = new Encounters();

    Reached(Shapes shapes, RootClassSets sets, OwnLabels labels, ObjectTable met) {
        this.shapes = shapes;
        this.sets = sets;
        this.labels = labels;
        this.met = met;
        untracked = new long[labels.many];
        alone = new int[labels.many];
        recent = new RecentShapes(shapes, labels);
    }

    /** As {@link Walk#from}. */
    void addRoots(Object[] objects, int every, int rootClass, int[] tags) {
        int ofClass = sets.only(rootClass);
        int untagged = labels.ofRoot(rootClass, -1);
        for (int i = 0; i < objects.length; i += every) {
            if (objects[i] != null) {
                int label = tags == null || tags[i] < 0 ? untagged : labels.ofRoot(rootClass, tags[i]);
                meet(objects[i], Addresses.of(objects, Addresses.element(i)), colour(ofClass, label), ObjectTable.NONE);
            }
        }
        resolvePending();
    }

    /** What is met from now on is no root. */
    void endRoots() {
        roots = met.size();
        holders = met.keepsHolders() ? new RootHolders(met, roots) : null;
    }

    boolean isRoot(int index) {
        return index < roots;
    }

    /** A reference was read. */
    void meet(Object o, int granule, long colour, int holder) {
        if (met.isNew(granule)) {
            met.add(o, granule, colour, holder);
            return;
        }
        if (pending.isFull()) {
            resolvePending();
        }
        pending.add(o, granule, colour, holder);
    }

    /** Looks up what may have been met before. */
    void resolvePending() {
        int count = pending.size();
        if (count == 0) {
            return;
        }
        met.guess(pending, count);
        for (int i = 0; i < count; i++) {
            reach(pending.objects[i], pending.granules[i], pending.colours[i], pending.holders[i], pending.indices[i]);
        }
        pending.clear();
    }

    private void reach(Object o, int granule, long colour, int holder, int guess) {
        int index = guess >= 0 ? guess : met.find(o, granule);
        if (index < 0) {
            met.add(o, granule, colour, holder);
            return;
        }
        long before = met.colour(index);
        if (before != colour) {
            join(index, before, colour);
        }
        if (index < roots && holders != null) {
            holders.hold(index, holder);
        }
    }

    /** An object is read for the first time, and counts under its colour. Gives its shape. Null (a merged duplicate) is skipped. */
    Shape readFirst(int index, Object o) {
        read.set(index);
        Shape shape = o == null ? Shape.SKIPPED : recent.shapeOf(o);
        if (shape == Shape.SKIPPED) {
            return shape;
        }
        count(index >= roots ? adopt(index, o) : met.colour(index), 1, shapes.bytes(o, shape), shape.offHeap(o));
        if (shape.closed) {
            closedObjects++;
        }
        if (holders != null && index >= roots && !shape.isLeaf()) {
            holders.shorten(index, o);
        }
        return shape;
    }

    Shape shapeOf(Object o) {
        return recent.shapeOf(o);
    }

    /**
     * What an object's class adds to the colour that it was met with: its root class reaches it, tracked or not, and its own
     * label lets in what it must. Gives the new colour.
     */
    private long adopt(int index, Object o) {
        long colour = met.colour(index);
        int label = recent.label(o.getClass());
        if (label != OwnLabels.FREE) {
            int deep = deep(colour);
            int rootClass = recent.rootClass(o.getClass());
            if (rootClass >= 0) {
                untracked[rootClass]++;
                if (alone[rootClass] == RootClassSets.EMPTY) {
                    alone[rootClass] = sets.only(rootClass);
                }
                deep = sets.union(deep, alone[rootClass]);
            }
            colour = colour(deep, labels.entered(label, own(colour)));
            met.colour(index, colour);
        }
        return colour;
    }

    /** The colour that an object passes on to what it refers to. */
    long outgoing(int index) {
        long colour = met.colour(index);
        return colour(deep(colour), labels.outgoing(own(colour)));
    }

    /** The part of a colour that passes a field which the root class does not list. */
    long unlisted(long colour, int rootClass) {
        return colour(sets.without(deep(colour), rootClass), OwnLabels.FREE);
    }

    /** Forgets the sets that no object has any more. Not while references are kept back: they have colours. */
    void forgetSets() {
        if (!sets.mayForget()) {
            return;
        }
        BitSet used = new BitSet(sets.size());
        for (int index = 0; index < met.size(); index++) {
            used.set(deep(met.colour(index)));
        }
        int[] numbers = sets.keep(used);
        for (int index = 0; index < met.size(); index++) {
            long colour = met.colour(index);
            met.colour(index, colour(numbers[deep(colour)], own(colour)));
        }
        deep.renumber(numbers, sets.size());
        for (int rootClass = 0; rootClass < alone.length; rootClass++) {
            alone[rootClass] = numbers[alone[rootClass]];
        }
    }

    private void count(long colour, int number, long bytes, long offHeap) {
        deep.add(deep(colour), number, bytes, offHeap);
        own.add(own(colour), number, bytes, 0);
    }

    private static long colour(int deep, int own) {
        return (long) deep << 32 | own;
    }

    /** A set of {@link RootClassSets}. */
    private static int deep(long colour) {
        return (int) (colour >>> 32);
    }

    /** A label of {@link OwnLabels}. */
    private static int own(long colour) {
        return (int) colour;
    }

    private void join(int index, long before, long colour) {
        long joined = colour(sets.union(deep(before), deep(colour)),
                labels.entered(own(before), own(colour)));
        if (joined == before) {
            return;
        }
        met.colour(index, joined);
        if (read.get(index)) {
            Object o = met.object(index);
            Shape shape = recent.shapeOf(o);
            if (shape != Shape.SKIPPED) {
                long bytes = shapes.bytes(o, shape);
                long offHeap = shape.offHeap(o);
                count(before, -1, bytes, offHeap);
                count(joined, 1, bytes, offHeap);
                if (!shape.isLeaf()) {
                    marks.set(index);
                }
            }
        }
    }

    @Override
    public void merge(int first, int second) {
        long colour = met.colour(second);
        if (read.get(second)) {
            Object o = met.object(second);
            Shape shape = recent.shapeOf(o);
            if (shape != Shape.SKIPPED) {
                count(colour, -1, shapes.bytes(o, shape), shape.offHeap(o));
                int rootClass = second >= roots ? labels.rootClassOf(shape) : -1;
                if (rootClass >= 0) {
                    untracked[rootClass]--;
                }
                closedObjects -= shape.closed ? 1 : 0;
            }
            marks.clear(second);
        }
        join(first, met.colour(first), outgoing(second));
        if (holders != null) {
            if (first < roots && met.holder(second) != ObjectTable.NONE) {
                holders.hold(first, met.holder(second));
            }
            met.holder(second, first);
        }
    }

    /** Bytes of all tables, estimated. */
    long bytes() {
        return met.bytes() + read.size() / 8 + marks.bytes() + sets.bytes() + labels.bytes() + deep.ownBytes() + own.ownBytes();
    }
}
