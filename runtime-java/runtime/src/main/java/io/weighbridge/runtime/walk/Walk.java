package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.Addresses;
import java.util.Arrays;

/**
 * One walk over everything that the roots keep alive. It colours each object with the set of root classes that reach it,
 * and with the set of those that hold it themselves ({@link OwnLabels}). The two labels are the halves of a colour.
 *
 * <p>The objects met ({@link Reached}) are their own queue: what a batch of them refers to is appended and is read next. So
 * what lies together is read together, and the reads of a batch do not wait for each other. An object is touched only when
 * it is its turn. It has its finder's colour by then; whoever reaches it again joins the sets. Objects whose sets grew after
 * they were read are marked. Passes over the marked objects, up and down in the order of meeting, propagate the joined sets
 * until nothing changes. So an object is read once, and once more for each pass in which its set grew. Root classes that
 * meet at one object pass it together: the cost follows the references, not their product with the root classes.
 *
 * <p>Runs beside the program: a reference that changes meanwhile is seen in either state. An object met is counted once, and
 * the sums agree because they are taken over the objects met.
 */
final class Walk {
    /** Objects, or elements of an array, between two looks at the limits and the collectors. */
    private static final int LOOK = 4096;
    /** Objects read before what they refer to. */
    private static final int BATCH = 64;
    /** A repair that finds something wrong is followed by another; collections may come that often. */
    private static final int REPAIRS = 100;

    final ObjectTable met;
    /** By deep label. */
    final ColourSums deep;
    /** By own label. */
    final ColourSums own;
    /** By root class: its objects that were met, but are no roots. */
    final long[] untracked;
    private final WalkLimits limits;
    private final Reached reached;
    /** For a class id, its root class; -1 for classes without roots. */
    private final int[] rootClassOf;
    /** A stack of ranges to be read: the first index and, in the lower half, the end. */
    private long[] unread = new long[64];
    private int ranges;
    private int untilLook = LOOK;
    private long reads;
    private long touched;

    Walk(Shapes shapes, WalkLimits limits, RootClassSets sets, OwnLabels labels, int[] rootClassOf, ObjectTable met) {
        this.limits = limits;
        this.rootClassOf = rootClassOf;
        this.met = met;
        reached = new Reached(shapes, sets, labels, met);
        deep = reached.deep;
        own = reached.own;
        untracked = reached.untracked;
    }

    /** A table of objects met, the quickest that is right in this JVM. */
    static ObjectTable table(boolean keepsHolders) {
        return Addresses.KNOWN ? new GranuleTable(keepsHolders) : new HashedObjects(keepsHolders);
    }

    /**
     * Adds the roots of one root class, one in so many of them. All roots come before {@link #run}. {@code tags}: side by side
     * with the roots, ordinals of the labels' tags or negative numbers; null if there are none.
     */
    void from(Object[] roots, int every, int rootClass, int[] tags) {
        reached.addRoots(roots, every, rootClass, tags);
    }

    /** Walks until every object that the roots reach has its final colour. */
    void run() {
        reached.endRoots();
        readFrom(0);
        propagate();
        for (int i = 0; !met.repair(reached); i++) {
            if (i == REPAIRS) {
                throw new WalkStopped("collections come too often");
            }
            propagate();
        }
    }

    /** Reads the objects met from an index on, and all that they reach. */
    private void readFrom(int first) {
        push(first, met.size());
        while (ranges > 0) {
            long range = unread[--ranges];
            int from = (int) (range >>> 32);
            int to = (int) range;
            int end = to - from > BATCH ? from + BATCH : to;
            push(end, to);
            int before = met.size();
            touch(from, end);
            for (int index = from; index < end; index++) {
                readFirst(index);
            }
            reached.resolvePending();
            reached.forgetSets();
            push(before, met.size());
        }
    }

    private void push(int from, int to) {
        if (from < to) {
            if (ranges == unread.length) {
                unread = Arrays.copyOf(unread, ranges * 2);
            }
            unread[ranges++] = (long) from << 32 | to;
        }
    }

    /** Loads the headers of a batch: these loads wait for memory together, those of the reads would one by one. */
    private void touch(int from, int to) {
        int arrays = 0;
        for (int index = from; index < to; index++) {
            Object o = met.object(index);
            if (o != null && o.getClass() == Object[].class) {
                arrays++;
            }
        }
        touched += arrays;
    }

    private void readFirst(int index) {
        Object o = met.object(index);
        Shape shape = reached.readFirst(index, o);
        if (shape == Shape.SKIPPED) {
            return;
        }
        if (!shape.isLeaf()) {
            readReferences(index, o, shape);
        }
        if (--untilLook <= 0) {
            look();
        }
    }

    /** Reads marked objects again, up and down, until none is marked. */
    private void propagate() {
        Marks marks = reached.marks;
        for (boolean up = true; !marks.isEmpty(); up = !up) {
            int before = met.size();
            int index = up ? marks.next(0) : marks.last();
            while (index >= 0) {
                readAgain(index);
                reached.forgetSets();
                index = up ? marks.next(index + 1) : marks.previous(index - 1);
            }
            readFrom(before);
        }
    }

    private void readAgain(int index) {
        reached.marks.clear(index);
        Object o = met.object(index);
        if (o != null) {
            readReferences(index, o, reached.shapeOf(o));
            reached.resolvePending();
        }
        if (--untilLook <= 0) {
            look();
        }
    }

    /** Objects of classes with references that could not be read. */
    long closedObjects() {
        return reached.closedObjects;
    }

    /** How often an object's references were read. */
    long reads() {
        return reads;
    }

    /** True for a root, in the order of {@link #from}; all of its objects come first. */
    boolean isRoot(int index) {
        return reached.isRoot(index);
    }

    private void look() {
        untilLook = LOOK;
        limits.check(reached.bytes() + unread.length * 8L);
        if (met.needsRepair()) {
            met.repair(reached);
        }
    }

    private void readReferences(int index, Object o, Shape shape) {
        reads++;
        long colour = reached.outgoing(index);
        if (shape.references) {
            readElements((Object[]) o, index, colour);
            return;
        }
        int fields = shape.fieldCount();
        int rootClass = rootClassOf(shape.restricted);
        long unlisted = rootClass < 0 ? colour : reached.unlisted(colour, rootClass);
        for (int i = 0; i < fields; i++) {
            long through = rootClass < 0 || shape.listed[i] ? colour : unlisted;
            if (through == 0) {
                continue;
            }
            Object value = shape.read(o, i);
            if (value != null) {
                reached.meet(value, shape.granuleOf(o, i), through, index);
            }
        }
    }

    private void readElements(Object[] array, int index, long colour) {
        for (int from = 0; from < array.length; ) {
            int to = array.length - from > LOOK ? from + LOOK : array.length;
            for (int i = from; i < to; i++) {
                Object element = array[i];
                if (element != null) {
                    reached.meet(element, Addresses.of(array, Addresses.element(i)), colour, index);
                }
            }
            untilLook -= to - from >> 3;
            if (untilLook <= 0) {
                look();
            }
            from = to;
        }
    }

    /** A class that was linked during the walk has no roots in it. */
    private int rootClassOf(int classId) {
        return classId < 0 || classId >= rootClassOf.length ? -1 : rootClassOf[classId];
    }
}
