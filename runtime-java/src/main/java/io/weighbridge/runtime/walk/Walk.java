package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.Addresses;

/**
 * One walk over everything that the roots keep alive, colouring each object with the set of root classes that reach it, and with
 * the set of those that hold it themselves ({@link OwnLabels}). The two labels are the halves of a colour.
 *
 * <p>The objects met are their own queue: what a batch of them refers to is appended and is the next to be read, so
 * that what lies together is read together, while the reads of a batch do not wait for each other. What may have been
 * met before is looked up at the end of a batch. An object is touched only when it is its turn. It has its finder's
 * colour by then; whoever reaches it again with more root classes joins the
 * sets. An object whose set grew after it was read is marked; passes over the marked objects, up and down in the order
 * of meeting, hand the joined sets on until nothing changes. So an object is read once and then once for each pass in
 * which its set grew: root classes that meet at one object pass it together, and the cost follows the references, not
 * their product with the root classes.
 *
 * <p>Runs beside the program: a reference that changes meanwhile is seen in either state, an object met is counted
 * once, and the sums agree because they are taken over the objects met.
 */
final class Walk {
    /** Objects, or elements of an array, between two looks at the limits and the collectors. */
    private static final int LOOK = 4096;
    /** Objects read before what they refer to. */
    private static final int BATCH = 64;
    /** A repair that finds something wrong is followed by another; collections may come that often. */
    private static final int REPAIRS = 100;

    private final Shapes shapes;
    private final WalkLimits limits;
    private final RootClassSets sets;
    private final OwnLabels labels;
    /** For a class id, its root class; -1 for classes without roots. */
    private final int[] rootClassOf;
    final ObjectTable met;
    /** By deep label. */
    final ColourSums deep = new ColourSums();
    /** By own label. */
    final ColourSums own = new ColourSums();
    /** Pairs of indices: the objects from one up to the other are to be read. */
    private final IndexStack unread = new IndexStack();
    /** Objects that were read. */
    private final IndexBits read = new IndexBits();
    /** Objects that were read, and whose sets grew since. */
    private final IndexBits marks = new IndexBits();
    private boolean marked;
    private int untilLook = LOOK;
    private long closedObjects;
    private long reads;
    private long touched;
    /** Objects before this index are roots. */
    private int roots;
    /** Null unless holders are kept. */
    private RootHolders holders;
    private final Encounters pending = new Encounters();
    private final RecentShapes recent;

    Walk(Shapes shapes, WalkLimits limits, RootClassSets sets, OwnLabels labels, int[] rootClassOf, ObjectTable met) {
        this.shapes = shapes;
        this.limits = limits;
        this.sets = sets;
        this.labels = labels;
        recent = new RecentShapes(shapes, labels);
        this.rootClassOf = rootClassOf;
        this.met = met;
    }

    /** A table of objects met, the quickest that is right in this JVM. */
    static ObjectTable table(boolean keepsHolders) {
        return Addresses.KNOWN ? new GranuleTable(keepsHolders) : new HashedObjects(keepsHolders);
    }

    /** Adds the roots of one root class, without tags. */
    void from(Object[] roots, int rootClass) {
        from(roots, rootClass, null);
    }

    /**
     * Adds the roots of one root class. All roots come before {@link #run}. {@code tags}: side by side with the roots, ordinals of
     * the labels' tags or negative numbers; null if there are none.
     */
    void from(Object[] roots, int rootClass, int[] tags) {
        int deep = sets.only(rootClass);
        int own = labels.ofRoot(rootClass, -1);
        for (int i = 0; i < roots.length; i++) {
            if (roots[i] != null) {
                int tagged = tags == null || tags[i] < 0 ? own : labels.ofRoot(rootClass, tags[i]);
                meet(roots[i], Addresses.of(roots, Addresses.element(i)), Colour.of(deep, tagged), ObjectTable.NONE);
            }
        }
        resolvePending();
    }

    /** Walks until every object that the roots reach has its final colour. */
    void run() {
        roots = met.size();
        holders = met.keepsHolders() ? new RootHolders(met, roots) : null;
        readFrom(0);
        propagate();
        for (int i = 0; !met.repair(this::merge); i++) {
            if (i == REPAIRS) {
                throw new WalkStopped("collections come too often");
            }
            propagate();
        }
    }

    /** Reads the objects met from an index on, and all that they reach. */
    private void readFrom(int first) {
        unread(first);
        while (!unread.isEmpty()) {
            int to = unread.pop();
            int from = unread.pop();
            int end = to - from > BATCH ? from + BATCH : to;
            if (end < to) {
                unread.push(end);
                unread.push(to);
            }
            int before = met.size();
            touch(from, end);
            for (int index = from; index < end; index++) {
                readFirst(index);
            }
            resolvePending();
            unread(before);
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

    private void unread(int from) {
        if (from < met.size()) {
            unread.push(from);
            unread.push(met.size());
        }
    }

    private void readFirst(int index) {
        read.add(index);
        Object o = met.object(index);
        Shape shape = o == null ? Shape.SKIPPED : recent.shapeOf(o);
        if (shape == Shape.SKIPPED) {
            return;
        }
        count(index >= roots ? adopt(index, o) : met.colour(index), shapes.bytes(o, shape), shape.offHeap(o));
        if (shape.closed) {
            closedObjects++;
        }
        if (!shape.isLeaf()) {
            if (holders != null && index >= roots) {
                holders.shorten(index, o);
            }
            readReferences(index, o, shape);
        }
        if (--untilLook <= 0) {
            look();
        }
    }

    /** An object that is met gets its finder's own label; from its turn on, when its class is known, what may enter it. */
    private long adopt(int index, Object o) {
        long colour = met.colour(index);
        int label = recent.label(o.getClass());
        if (label != OwnLabels.FREE) {
            colour = Colour.of(Colour.deep(colour), labels.entered(label, Colour.own(colour)));
            met.colour(index, colour);
        }
        return colour;
    }

    private void count(long colour, long bytes, long offHeap) {
        deep.add(Colour.deep(colour), bytes, offHeap);
        own.add(Colour.own(colour), bytes, 0);
    }

    private void discount(long colour, long bytes, long offHeap) {
        deep.remove(Colour.deep(colour), bytes, offHeap);
        own.remove(Colour.own(colour), bytes, 0);
    }

    private void propagate() {
        for (boolean up = true; marked; up = !up) {
            marked = false;
            int before = met.size();
            int last = Math.min(marks.words.length, before + 63 >>> 6) - 1;
            if (up) {
                for (int word = 0; word <= last; word++) {
                    for (long bits = marks.words[word]; bits != 0; bits = marks.words[word] & -2L << Long.numberOfTrailingZeros(bits)) {
                        readAgain(word << 6 | Long.numberOfTrailingZeros(bits));
                    }
                }
            } else {
                for (int word = last; word >= 0; word--) {
                    for (long bits = marks.words[word]; bits != 0; ) {
                        int bit = 63 - Long.numberOfLeadingZeros(bits);
                        readAgain(word << 6 | bit);
                        bits = marks.words[word] & (1L << bit) - 1;
                    }
                }
            }
            readFrom(before);
        }
    }

    private void readAgain(int index) {
        marks.remove(index);
        Object o = met.object(index);
        if (o != null) {
            readReferences(index, o, recent.shapeOf(o));
            resolvePending();
        }
        if (--untilLook <= 0) {
            look();
        }
    }

    /** Objects of classes with references that could not be read. */
    long closedObjects() {
        return closedObjects;
    }

    /** How often an object's references were read. */
    long reads() {
        return reads;
    }

    /** A reference was read. */
    private void meet(Object o, int granule, long colour, int holder) {
        if (met.isNew(granule)) {
            met.add(o, granule, colour, holder);
            return;
        }
        if (pending.isFull()) {
            resolvePending();
        }
        pending.add(o, granule, colour, holder);
    }

    /** Looks up what may have been met before, all of it together so that these loads, too, wait for memory together. */
    private void resolvePending() {
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

    /** True for a root, in the order of {@link #from}; all of its objects come first. */
    boolean isRoot(int index) {
        return index < roots;
    }

    private void join(int index, long before, long colour) {
        long joined = Colour.of(sets.union(Colour.deep(before), Colour.deep(colour)),
                labels.entered(Colour.own(before), Colour.own(colour)));
        if (joined == before) {
            return;
        }
        met.colour(index, joined);
        if (read.has(index)) {
            Object o = met.object(index);
            Shape shape = recent.shapeOf(o);
            if (shape != Shape.SKIPPED) {
                long bytes = shapes.bytes(o, shape);
                long offHeap = shape.offHeap(o);
                discount(before, bytes, offHeap);
                count(joined, bytes, offHeap);
                if (!shape.isLeaf()) {
                    mark(index);
                }
            }
        }
    }

    private void mark(int index) {
        marks.add(index);
        marked = true;
    }

    private void merge(int first, int second) {
        long colour = met.colour(second);
        if (read.has(second)) {
            Object o = met.object(second);
            Shape shape = recent.shapeOf(o);
            if (shape != Shape.SKIPPED) {
                discount(colour, shapes.bytes(o, shape), shape.offHeap(o));
                closedObjects -= shape.closed ? 1 : 0;
            }
            marks.remove(second);
        }
        join(first, met.colour(first), Colour.of(Colour.deep(colour), labels.outgoing(Colour.own(colour))));
        if (holders != null) {
            if (first < roots && met.holder(second) != ObjectTable.NONE) {
                holders.hold(first, met.holder(second));
            }
            met.holder(second, first);
        }
    }

    private void look() {
        untilLook = LOOK;
        limits.check(met.bytes() + unread.bytes() + read.bytes() + marks.bytes() + sets.bytes() + labels.bytes());
        if (met.needsRepair()) {
            met.repair(this::merge);
        }
    }

    private void readReferences(int index, Object o, Shape shape) {
        reads++;
        long colour = met.colour(index);
        colour = Colour.of(Colour.deep(colour), labels.outgoing(Colour.own(colour)));
        if (shape.references) {
            readElements((Object[]) o, index, colour);
            return;
        }
        int fields = shape.fieldCount();
        int rootClass = rootClassOf(shape.restricted);
        long unlisted = rootClass < 0 ? colour : Colour.of(sets.without(Colour.deep(colour), rootClass), OwnLabels.FREE);
        for (int i = 0; i < fields; i++) {
            long through = rootClass < 0 || shape.listed[i] ? colour : unlisted;
            if (through == 0) {
                continue;
            }
            Object value = shape.read(o, i);
            if (value != null) {
                meet(value, shape.granuleOf(o, i), through, index);
            }
        }
    }

    private void readElements(Object[] array, int index, long colour) {
        for (int from = 0; from < array.length; ) {
            int to = array.length - from > LOOK ? from + LOOK : array.length;
            for (int i = from; i < to; i++) {
                Object element = array[i];
                if (element != null) {
                    meet(element, Addresses.of(array, Addresses.element(i)), colour, index);
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
