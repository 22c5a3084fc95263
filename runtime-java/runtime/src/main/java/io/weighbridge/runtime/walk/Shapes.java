package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.ClassMemory;
import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.jvm.OffHeap;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.NamePattern;
import io.weighbridge.runtime.probe.NearestClass;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The shapes of classes under one configuration.
 *
 * <p>Some fields that the JDK declares are never followed: those of {@code Reference} (but the referent of soft references
 * if asked for), of {@code Module}, and of {@code Thread}, {@code ClassLoader}, {@code PhantomReference} and their subclasses.
 * Fields that a program's subclass declares are followed. Instances of {@code Class} and of excluded classes are neither
 * counted nor entered.
 */
public final class Shapes extends ClassMemory<Shape> {
    private final ObjectSizes sizes;
    private final FieldAccess access;
    private final ClassPatterns excluded;
    private final boolean soft;
    private final ClassPatterns hubs;
    private final Map<NamePattern, String> componentPatterns;
    /** The {@link ClassTable#epoch} whose field lists are in here. */
    public final int epoch;

    /**
     * With the classes and components linked so far; {@code soft}: follow soft references; {@code hubs}: classes through
     * which everything reaches everything (containers, class loaders, thread pools, loggers). Own bytes stop at their
     * objects, deep bytes do not.
     */
    public Shapes(ObjectSizes sizes, FieldAccess access, ClassPatterns excluded, boolean soft, ClassPatterns hubs) {
        this.sizes = sizes;
        this.access = access;
        this.excluded = excluded;
        this.soft = soft;
        this.hubs = hubs;
        this.epoch = ClassTable.epoch();
        this.componentPatterns = ClassTable.componentPatterns();
    }

    /** Bytes of an object of this shape. */
    public long bytes(Object o, Shape shape) {
        if (shape.isArray()) {
            return sizes.aligned(shape.arrayBase + ((long) Array.getLength(o) << shape.elementShift));
        }
        long bytes = shape.bytes;
        if (bytes == 0) {
            bytes = size(o);
            shape.bytes = bytes;
        }
        return bytes;
    }

    private long size(Object o) {
        try {
            return sizes.instance(o);
        } catch (LinkageError missingType) {
            return sizes.aligned(sizes.headerBytes());
        }
    }

    @Override
    protected Shape compute(Class<?> type) {
        if (type.isArray()) {
            Class<?> component = type.getComponentType();
            return Shape.array(type, sizes.arrayBase(component), sizes.elementBytes(component), !component.isPrimitive(),
                    component.isPrimitive() ? null : componentOfElements(component));
        }
        if (type == Class.class || excluded.covers(type)) {
            return Shape.SKIPPED;
        }
        int id = NearestClass.of(type);
        ClassEntry entry = ClassTable.entry(id);
        String[] list = entry == null ? null : entry.fields;
        return shape(type, entry == null ? ClassTable.NONE : id, list,
                entry == null ? componentOf(type.getName()) : entry.component);
    }

    private String componentOfElements(Class<?> type) {
        Class<?> innermost = type;
        while (innermost.isArray()) {
            innermost = innermost.getComponentType();
        }
        return innermost.isPrimitive() ? null : componentOf(innermost.getName());
    }

    /** By the patterns of the configuration, as for classes that are instrumented; null for none. */
    private String componentOf(String name) {
        for (Map.Entry<NamePattern, String> owns : componentPatterns.entrySet()) {
            if (owns.getKey().matches(name)) {
                return owns.getValue();
            }
        }
        return null;
    }

    private Shape shape(Class<?> type, int nearest, String[] list, String component) {
        List<Field> fields = new ArrayList<>();
        boolean closed = false;
        try {
            for (Field field : access.referenceFields(type)) {
                if (isFollowed(field, type)) {
                    fields.add(field);
                }
            }
        } catch (LinkageError missingType) {
            fields.clear();
            closed = true;
        }
        if (!access.complete()) {
            closed |= dropInaccessible(fields);
        }
        long[] offsets = access.complete() ? access.offsets(fields) : null;
        boolean[] listed = list == null ? null : listed(fields, list);
        return new Shape(type, offsets, fields, closed, nearest, listed, OffHeap.of(type, access), component,
                hubs.covers(type));
    }

    private boolean isFollowed(Field field, Class<?> type) {
        Class<?> declaring = field.getDeclaringClass();
        if (declaring == Reference.class) {
            return soft && SoftReference.class.isAssignableFrom(type) && field.getName().equals("referent");
        }
        // A cleaner is linked to all others of the JVM.
        boolean machinery = PhantomReference.class.isAssignableFrom(declaring) || Thread.class.isAssignableFrom(declaring)
                || ClassLoader.class.isAssignableFrom(declaring)
                || declaring == Module.class;
        return !machinery || declaring.getClassLoader() != null;
    }

    private static boolean dropInaccessible(List<Field> fields) {
        boolean dropped = false;
        for (Iterator<Field> i = fields.iterator(); i.hasNext(); ) {
            try {
                i.next().setAccessible(true);
            } catch (RuntimeException closed) {
                i.remove();
                dropped = true;
            }
        }
        return dropped;
    }

    private static boolean[] listed(List<Field> fields, String[] list) {
        boolean[] listed = new boolean[fields.size()];
        for (int i = 0; i < listed.length; i++) {
            listed[i] = Arrays.asList(list).contains(fields.get(i).getName());
        }
        return listed;
    }
}
