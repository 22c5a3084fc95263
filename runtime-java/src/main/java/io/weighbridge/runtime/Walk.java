package io.weighbridge.runtime;

import java.util.Arrays;

/**
 * One walk over everything that the roots keep alive, colouring each object with the set of owners that reach it.
 *
 * <p>First a depth-first pass meets every object once and gives it its finder's colour. An object that is reached
 * again with more owners only joins the sets and is marked; passes over the marked objects, up and down in the order
 * of meeting, hand the joined sets on until nothing changes. An object is read once and then once for each pass in
 * which its set grew: owners that meet at one object pass it together, so the cost follows the references, not their
 * product with the owners.
 *
 * <p>Runs beside the program: a reference that changes meanwhile is seen in either state, an object met is counted
 * once, and the sums agree because they are taken over the objects met. No recursion; the stack holds indices.
 */
final class Walk {
    /** Objects between two looks at the limits. */
    private static final int LOOK = 4096;
    /** Elements of an array read before what they found is walked, so that a long array does not fill the stack. */
    private static final int CHUNK = 4096;

    private final Shapes shapes;
    private final WalkLimits limits;
    private final OwnerSets sets;
    /** For a class id, its owner; -1 for classes without roots. */
    private final int[] ownerOfClass;
    final ObjectTable met = new ObjectTable();
    private final IndexStack stack = new IndexStack();
    /** One bit an object: its references are to be read (again). */
    private long[] pending = new long[1024];
    /** Some object was marked since the pass began. */
    private boolean marked;
    private int untilLook = LOOK;
    private long closedObjects;
    private long reads;

    Walk(Shapes shapes, WalkLimits limits, OwnerSets sets, int[] ownerOfClass) {
        this.shapes = shapes;
        this.limits = limits;
        this.sets = sets;
        this.ownerOfClass = ownerOfClass;
    }

    /** Walks from the roots of one owner. Call {@link #settle} after the last. */
    void from(Object[] roots, int owner) {
        int colour = sets.only(owner);
        for (Object root : roots) {
            if (root != null) {
                reach(root, colour);
                drain();
            }
        }
    }

    /** Hands joined sets on until nothing changes. */
    void settle() {
        for (boolean up = true; marked; up = !up) {
            marked = false;
            if (up) {
                for (int word = 0; word <= met.size() - 1 >>> 6; word++) {
                    for (long bits = pending[word]; bits != 0; bits = pending[word] & -2L << Long.numberOfTrailingZeros(bits)) {
                        read(word << 6 | Long.numberOfTrailingZeros(bits));
                    }
                }
            } else {
                for (int word = met.size() - 1 >>> 6; word >= 0; word--) {
                    for (long bits = pending[word]; bits != 0; ) {
                        int bit = 63 - Long.numberOfLeadingZeros(bits);
                        read(word << 6 | bit);
                        bits = pending[word] & (1L << bit) - 1;
                    }
                }
            }
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

    private void reach(Object o, int colour) {
        int index = met.find(o);
        if (index < 0) {
            meet(o, ~index, colour);
            return;
        }
        int before = met.colour(index);
        if (before != colour) {
            int joined = sets.union(before, colour);
            if (joined != before) {
                met.colour(index, joined);
                if (!shapes.get(o.getClass()).isLeaf()) {
                    mark(index);
                }
            }
        }
    }

    private void meet(Object o, int slot, int colour) {
        Shape shape = shapes.get(o.getClass());
        if (shape == Shape.SKIPPED) {
            return;
        }
        int index = met.add(o, slot, colour);
        untilLook--;
        if (shape.closed) {
            closedObjects++;
        }
        if (!shape.isLeaf()) {
            if (index >>> 6 >= pending.length) {
                pending = Arrays.copyOf(pending, pending.length * 2);
            }
            pending[index >>> 6] |= 1L << index;
            stack.push(index);
        }
    }

    private void mark(int index) {
        pending[index >>> 6] |= 1L << index;
        marked = true;
    }

    private void look() {
        untilLook = LOOK;
        limits.check(met.bytes() + stack.bytes() + pending.length * 8L + (long) sets.size() * sets.bytesEach());
    }

    private void read(int index) {
        readReferences(index, 0);
        drain();
    }

    private void drain() {
        while (!stack.isEmpty()) {
            int top = stack.pop();
            if (top >= 0) {
                readReferences(top, 0);
            } else {
                readReferences(~top, stack.pop());
            }
        }
    }

    /** Reads an object's references; of a long array those from an element on, leaving the rest on the stack. */
    private void readReferences(int index, int from) {
        if (--untilLook <= 0) {
            look();
        }
        pending[index >>> 6] &= ~(1L << index);
        reads++;
        int colour = met.colour(index);
        Object o = met.object(index);
        Shape shape = shapes.get(o.getClass());
        if (shape.references) {
            Object[] array = (Object[]) o;
            int to = array.length;
            if (to - from > CHUNK) {
                to = from + CHUNK;
                stack.push(to);
                stack.push(~index);
            }
            for (int i = from; i < to; i++) {
                Object element = array[i];
                if (element != null) {
                    reach(element, colour);
                }
            }
            return;
        }
        int fields = shape.fieldCount();
        int owner = ownerOf(shape.restricted);
        int unlisted = owner < 0 ? colour : sets.without(colour, owner);
        for (int i = 0; i < fields; i++) {
            int through = owner < 0 || shape.listed[i] ? colour : unlisted;
            if (through == OwnerSets.NOBODY) {
                continue;
            }
            Object value = shape.read(o, i);
            if (value != null) {
                reach(value, through);
            }
        }
    }

    /** A class that was linked during the walk has no roots in it. */
    private int ownerOf(int classId) {
        return classId < 0 || classId >= ownerOfClass.length ? -1 : ownerOfClass[classId];
    }
}
