package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.Addresses;
import java.util.Arrays;

/**
 * One walk over everything that the roots keep alive, colouring each object with the set of owners that reach it, and with
 * the set of those that hold it themselves ({@link OwnLabels}). The two labels are the halves of a colour.
 *
 * <p>The objects met are their own queue: what a batch of them refers to is appended and is the next to be read, so
 * that what lies together is read together, while the reads of a batch do not wait for each other. What may have been
 * met before is looked up at the end of a batch. An object is touched only when it is its turn. It has its finder's
 * colour by then; whoever reaches it again with more owners joins the
 * sets. An object whose set grew after it was read is marked; passes over the marked objects, up and down in the order
 * of meeting, hand the joined sets on until nothing changes. So an object is read once and then once for each pass in
 * which its set grew: owners that meet at one object pass it together, and the cost follows the references, not
 * their product with the owners.
 *
 * <p>Runs beside the program: a reference that changes meanwhile is seen in either state, an object met is counted
 * once, and the sums agree because they are taken over the objects met.
 */
final class Walk {
    /** Objects, or elements of an array, between two looks at the limits and the collectors. */
    private static final int LOOK = 4096;
    /** Objects read before what they refer to. */
    private static final int BATCH = 64;
    private static final int RECENT = 256;
    /** Steps up from a holder in search of the root that it was reached from. */
    private static final int UPWARDS = 32;
    /** A repair that finds something wrong is followed by another; collections may come that often. */
    private static final int REPAIRS = 100;

    private final Shapes shapes;
    private final WalkLimits limits;
    private final OwnerSets sets;
    private final OwnLabels labels;
    /** For a class id, its owner; -1 for classes without roots. */
    private final int[] ownerOfClass;
    final ObjectTable met;
    /** By deep label. */
    final Tally tally = new Tally();
    /** By own label. */
    final Tally own = new Tally();
    /** Pairs of indices: the objects from one up to the other are to be read. */
    private final IndexStack unread = new IndexStack();
    /** One bit an object: it was read. */
    private long[] read = new long[1024];
    /** One bit an object: it was read, and its set grew since. */
    private long[] marks = new long[1024];
    private boolean marked;
    private int untilLook = LOOK;
    private long closedObjects;
    private long reads;
    private long touched;
    /** Objects before this index are roots. */
    private int roots;
    /** Null unless holders are kept. By root: an object of another class holds it, so that no better is sought. */
    private boolean[] heldByOther;
    private final Encounters pending = new Encounters();
    /** Shapes seen lately, by their class's hash: dropped with the walk, so they keep no class alive. */
    private final Shape[] recent = new Shape[RECENT];
    /** Side by side with {@link #recent}: the own label of the class. */
    private final int[] recentLabels = new int[RECENT];

    Walk(Shapes shapes, WalkLimits limits, OwnerSets sets, OwnLabels labels, int[] ownerOfClass, ObjectTable met) {
        this.shapes = shapes;
        this.limits = limits;
        this.sets = sets;
        this.labels = labels;
        this.ownerOfClass = ownerOfClass;
        this.met = met;
    }

    /** A table of objects met, the quickest that is right in this JVM. */
    static ObjectTable table(boolean keepsHolders) {
        return Addresses.KNOWN ? new PlacedObjects(keepsHolders) : new HashedObjects(keepsHolders);
    }

    private static long colour(int deep, int own) {
        return (long) deep << 32 | own;
    }

    private static int deep(long colour) {
        return (int) (colour >>> 32);
    }

    private static int own(long colour) {
        return (int) colour;
    }

    /** Adds the roots of one owner, without tags. */
    void from(Object[] roots, int owner) {
        from(roots, owner, null);
    }

    /**
     * Adds the roots of one owner. All roots come before {@link #run}. {@code tags}: side by side with the roots, ordinals of
     * the labels' tags or negative numbers; null if there are none.
     */
    void from(Object[] roots, int owner, int[] tags) {
        int deep = sets.only(owner);
        int own = labels.ofRoot(owner, -1);
        for (int i = 0; i < roots.length; i++) {
            if (roots[i] != null) {
                int tagged = tags == null || tags[i] < 0 ? own : labels.ofRoot(owner, tags[i]);
                meet(roots[i], Addresses.of(roots, Addresses.element(i)), colour(deep, tagged), ObjectTable.NONE);
            }
        }
        settle();
    }

    /** Walks until every object that the roots reach has its final colour. */
    void run() {
        roots = met.size();
        heldByOther = met.keepsHolders() ? new boolean[roots] : null;
        onwards(0);
        handOn();
        for (int i = 0; !met.repair(this::merge); i++) {
            if (i == REPAIRS) {
                throw new WalkStopped("collections come too often");
            }
            handOn();
        }
    }

    /** Reads the objects met from an index on, and all that they reach. */
    private void onwards(int first) {
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
            settle();
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
        if (index >>> 6 >= read.length) {
            read = Arrays.copyOf(read, Math.max(index + 64 >>> 6, read.length * 2));
        }
        read[index >>> 6] |= 1L << index;
        Object o = met.object(index);
        Shape shape = o == null ? Shape.SKIPPED : shapeOf(o);
        if (shape == Shape.SKIPPED) {
            return;
        }
        count(index >= roots ? adopt(index, o) : met.colour(index), shapes.bytes(o, shape), shape.offHeap(o));
        if (shape.closed) {
            closedObjects++;
        }
        if (!shape.isLeaf()) {
            if (heldByOther != null && index >= roots) {
                shorten(index, o);
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
        int label = recentLabels[slotOf(o.getClass())];
        if (label != OwnLabels.FREE) {
            colour = colour(deep(colour), labels.entered(label, own(colour)));
            met.colour(index, colour);
        }
        return colour;
    }

    private void count(long colour, long bytes, long offHeap) {
        tally.add(deep(colour), bytes, offHeap);
        own.add(own(colour), bytes, 0);
    }

    private void discount(long colour, long bytes, long offHeap) {
        tally.remove(deep(colour), bytes, offHeap);
        own.remove(own(colour), bytes, 0);
    }

    private boolean isRead(int index) {
        return index >>> 6 < read.length && (read[index >>> 6] & 1L << index) != 0;
    }

    private void handOn() {
        for (boolean up = true; marked; up = !up) {
            marked = false;
            int before = met.size();
            int last = Math.min(marks.length, before + 63 >>> 6) - 1;
            if (up) {
                for (int word = 0; word <= last; word++) {
                    for (long bits = marks[word]; bits != 0; bits = marks[word] & -2L << Long.numberOfTrailingZeros(bits)) {
                        readAgain(word << 6 | Long.numberOfTrailingZeros(bits));
                    }
                }
            } else {
                for (int word = last; word >= 0; word--) {
                    for (long bits = marks[word]; bits != 0; ) {
                        int bit = 63 - Long.numberOfLeadingZeros(bits);
                        readAgain(word << 6 | bit);
                        bits = marks[word] & (1L << bit) - 1;
                    }
                }
            }
            onwards(before);
        }
    }

    private void readAgain(int index) {
        marks[index >>> 6] &= ~(1L << index);
        Object o = met.object(index);
        if (o != null) {
            readReferences(index, o, shapeOf(o));
            settle();
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

    private static int slotOf(Class<?> type) {
        return type.hashCode() & RECENT - 1;
    }

    private Shape shapeOf(Object o) {
        Class<?> type = o.getClass();
        int slot = slotOf(type);
        Shape shape = recent[slot];
        if (shape == null || shape.type != type) {
            shape = shapes.get(type);
            recent[slot] = shape;
            recentLabels[slot] = labels.of(shape);
        }
        return shape;
    }

    /** A reference was read. */
    private void meet(Object o, int place, long colour, int holder) {
        if (met.isNew(place)) {
            met.add(o, place, colour, holder);
            return;
        }
        if (pending.isFull()) {
            settle();
        }
        pending.add(o, place, colour, holder);
    }

    /** Looks up what may have been met before, all of it together so that these loads, too, wait for memory together. */
    private void settle() {
        int count = pending.size();
        if (count == 0) {
            return;
        }
        met.guess(pending, count);
        for (int i = 0; i < count; i++) {
            reach(pending.objects[i], pending.places[i], pending.colours[i], pending.holders[i], pending.indices[i]);
        }
        pending.clear();
    }

    private void reach(Object o, int place, long colour, int holder, int guess) {
        int index = guess >= 0 ? guess : met.find(o, place);
        if (index < 0) {
            met.add(o, place, colour, holder);
            return;
        }
        long before = met.colour(index);
        if (before != colour) {
            join(index, before, colour);
        }
        if (index < roots && heldByOther != null && !heldByOther[index]) {
            hold(index, holder);
        }
    }

    /**
     * Remembers what holds a root: whatever is reached from another root, best from one of another class. Others are
     * held by what met them.
     */
    private void hold(int root, int holder) {
        int from = holder;
        for (int steps = 0; from >= roots && steps < UPWARDS; steps++) {
            from = met.holder(from);
        }
        if (from == root) {
            return;
        }
        Object source = met.object(from);
        boolean other = from >= roots || source == null || source.getClass() != met.object(root).getClass();
        if (other || met.holder(root) == ObjectTable.NONE) {
            met.holder(root, holder);
            heldByOther[root] = other;
        }
    }

    /** True for a root, in the order of {@link #from}; all of its objects come first. */
    boolean isRoot(int index) {
        return index < roots;
    }

    /** Chains within one class are made short, so that long lists have short ways up. */
    private void shorten(int index, Object o) {
        int holder = met.holder(index);
        Object above = met.object(holder);
        if (holder >= roots && above != null && above.getClass() == o.getClass()) {
            met.holder(index, met.holder(holder));
        }
    }

    private void join(int index, long before, long colour) {
        long joined = colour(sets.union(deep(before), deep(colour)), labels.entered(own(before), own(colour)));
        if (joined == before) {
            return;
        }
        met.colour(index, joined);
        if (isRead(index)) {
            Object o = met.object(index);
            Shape shape = shapeOf(o);
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
        if (index >>> 6 >= marks.length) {
            marks = Arrays.copyOf(marks, Math.max(index + 64 >>> 6, marks.length * 2));
        }
        marks[index >>> 6] |= 1L << index;
        marked = true;
    }

    private void merge(int first, int second) {
        long colour = met.colour(second);
        if (isRead(second)) {
            Object o = met.object(second);
            Shape shape = shapeOf(o);
            if (shape != Shape.SKIPPED) {
                discount(colour, shapes.bytes(o, shape), shape.offHeap(o));
                closedObjects -= shape.closed ? 1 : 0;
            }
            if (second >>> 6 < marks.length) {
                marks[second >>> 6] &= ~(1L << second);
            }
        }
        join(first, met.colour(first), colour(deep(colour), labels.handedOn(own(colour))));
        if (heldByOther != null) {
            if (first < roots && !heldByOther[first] && met.holder(second) != ObjectTable.NONE) {
                hold(first, met.holder(second));
            }
            met.holder(second, first);
        }
    }

    private void look() {
        untilLook = LOOK;
        limits.check(met.bytes() + unread.bytes() + (read.length + marks.length) * 8L + (long) sets.size() * sets.bytesEach()
                + labels.bytes());
        if (met.needsRepair()) {
            met.repair(this::merge);
        }
    }

    private void readReferences(int index, Object o, Shape shape) {
        reads++;
        long colour = met.colour(index);
        colour = colour(deep(colour), labels.handedOn(own(colour)));
        if (shape.references) {
            readElements((Object[]) o, index, colour);
            return;
        }
        int fields = shape.fieldCount();
        int owner = ownerOf(shape.restricted);
        long unlisted = owner < 0 ? colour : colour(sets.without(deep(colour), owner), OwnLabels.FREE);
        for (int i = 0; i < fields; i++) {
            long through = owner < 0 || shape.listed[i] ? colour : unlisted;
            if (through == 0) {
                continue;
            }
            Object value = shape.read(o, i);
            if (value != null) {
                meet(value, shape.place(o, i), through, index);
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
    private int ownerOf(int classId) {
        return classId < 0 || classId >= ownerOfClass.length ? -1 : ownerOfClass[classId];
    }
}
