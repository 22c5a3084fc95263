package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.Addresses;
import io.weighbridge.runtime.jvm.OffHeap;
import io.weighbridge.runtime.jvm.RawFields;
import io.weighbridge.runtime.probe.ClassTable;
import java.lang.reflect.Field;
import java.util.List;

/**
 * What a walk needs to know of a class: how large its objects are, and where their references lie.
 *
 * <p>Remembered with the class ({@link Shapes}). It refers only to fields of that class and its superclasses, so it keeps no
 * other class alive.
 */
public final class Shape {
    /** Neither counted nor entered. */
    public static final Shape SKIPPED = array(null, 0, 1, false, null);

    final Class<?> type;
    /** For an instance; 0 until the first one is met. */
    long bytes;
    /** For an array: bytes before the first element, and the power of two of an element's size. */
    int arrayBase;
    int elementShift;
    /** True for arrays of references. */
    boolean references;
    /** Offsets of the reference fields to follow, or null if they are read by reflection. */
    final long[] offsets;
    /** The same as fields; null if there are offsets. */
    final Field[] fields;
    /** Reference fields exist that cannot be read. */
    final boolean closed;
    /** The class id whose own figures follow only {@link #listed} fields, or -1. */
    final int restricted;
    /** The nearest instrumented class, or a negative number. */
    final int classId;
    /** The component that the class belongs to, or an array's elements; null for none. */
    final String component;
    /** Own bytes stop here ({@link Shapes}). */
    final boolean hub;
    /** For each reference field: whether the field list names it. Null unless {@link #restricted}. */
    final boolean[] listed;

    /** Of the reference fields to follow. */
    private final String[] names;
    /** Null unless objects own memory outside the heap. */
    final OffHeap outside;

    Shape(Class<?> type, long[] offsets, List<Field> followed, boolean closed, int nearest, boolean[] listed, OffHeap outside,
            String component, boolean hub) {
        this.type = type;
        this.offsets = offsets;
        this.fields = offsets == null ? followed.toArray(new Field[0]) : null;
        this.closed = closed;
        this.classId = nearest;
        this.component = component;
        this.hub = hub;
        this.restricted = listed == null ? -1 : nearest;
        this.listed = listed;
        this.outside = outside;
        this.names = new String[followed.size()];
        for (int i = 0; i < names.length; i++) {
            names[i] = followed.get(i).getName();
        }
    }

    /** {@code component}: that of the elements. */
    static Shape array(Class<?> type, int base, int elementBytes, boolean references, String component) {
        Shape shape = new Shape(type, null, List.of(), false, ClassTable.NONE, null, null, component, false);
        shape.arrayBase = base;
        shape.elementShift = Integer.numberOfTrailingZeros(elementBytes);
        shape.references = references;
        return shape;
    }

    /** Objects of this class are registered by a constructor of it or of a superclass. */
    boolean isRegistered() {
        return classId >= 0;
    }

    boolean isArray() {
        return arrayBase > 0;
    }

    /** How many reference fields there are to follow. */
    int fieldCount() {
        return offsets != null ? offsets.length : fields.length;
    }

    /** True if nothing is to be followed from an object of this class. */
    boolean isLeaf() {
        return !references && fieldCount() == 0;
    }

    /** The value of a reference field. */
    Object read(Object object, int field) {
        if (offsets != null) {
            return RawFields.reference(object, offsets[field]);
        }
        try {
            return fields[field].get(object);
        } catch (IllegalAccessException closedMeanwhile) {
            return null;
        }
    }

    /**
     * The name of the field that refers to an object; else of the first field that refers to another object of its class, for
     * the nodes between the two may be left out; else null, for the program may have changed the field.
     */
    String fieldOf(Object holder, Object held) {
        String alike = null;
        for (int i = 0; i < names.length; i++) {
            Object value = read(holder, i);
            if (value == held) {
                return names[i];
            }
            if (alike == null && value != null && value.getClass() == held.getClass()) {
                alike = names[i];
            }
        }
        return alike;
    }

    /** Where the object lies that a reference field refers to, as {@link Addresses#of}. */
    int granuleOf(Object object, int field) {
        return offsets != null ? Addresses.of(object, offsets[field]) : 0;
    }

    /** Bytes outside the heap that an object owns. */
    long offHeap(Object o) {
        return outside == null ? 0 : outside.bytes(o);
    }
}
