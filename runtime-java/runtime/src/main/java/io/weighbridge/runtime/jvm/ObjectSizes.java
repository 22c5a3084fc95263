package io.weighbridge.runtime.jvm;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/**
 * Shallow sizes in bytes, header and padding included.
 *
 * <p>With an agent they are the JVM's own. Otherwise they follow from the fields' offsets or, without those, from
 * the layout rules. The recording calls both a formula.
 */
public final class ObjectSizes {
    private static ObjectSizes found;
    private final Instrumentation agent;
    private final FieldAccess access;
    private final VmFlags flags;
    private final int feature = Runtime.version().feature();

    /** {@code agent}: null for sizes by formula. */
    public ObjectSizes(Instrumentation agent, FieldAccess access, VmFlags flags) {
        this.agent = agent;
        this.access = access;
        this.flags = flags;
    }

    /** Those of this JVM. */
    public static synchronized ObjectSizes get() {
        if (found == null) {
            FieldAccess access = FieldAccess.get();
            found = new ObjectSizes(InstrumentationHandle.get(), access, VmFlags.read(access));
        }
        return found;
    }

    /** The flags that they follow from. */
    public VmFlags flags() {
        return flags;
    }

    /** As in the recording's header. */
    public String kind() {
        return agent != null ? "instrumentation" : "formula";
    }

    /** Bytes of a reference. */
    public int referenceBytes() {
        return flags.compressedOops ? 4 : 8;
    }

    /** An instance's header: mark word and class pointer, together 8 bytes with compact headers (JEP 450). */
    public int headerBytes() {
        return flags.compactHeaders ? 8 : flags.compressedClassPointers ? 12 : 16;
    }

    /** The size of an object that is no array, and of all others of its class. */
    public long instance(Object o) {
        return agent != null ? agent.getObjectSize(o) : instance(o.getClass());
    }

    /** The same by formula. May throw a {@link LinkageError}, as {@link FieldAccess#declaredFields}. */
    public long instance(Class<?> type) {
        return aligned(access.complete() ? byOffsets(type)
                : FieldLayout.bytes(type, access, headerBytes(), referenceBytes(), feature));
    }

    /** Bytes before the first element of an array. */
    public int arrayBase(Class<?> component) {
        int width = elementBytes(component);
        if (agent != null) {
            return probedBase(component, width);
        }
        int base = headerBytes() + 4;
        // Before JDK 23 an array's elements started on a word (JDK-8139457).
        return FieldLayout.align(base, feature < 23 ? 8 : Math.max(width, 4));
    }

    /** Bytes of an array's element. */
    public int elementBytes(Class<?> component) {
        return component.isPrimitive() ? FieldLayout.width(component) : referenceBytes();
    }

    /** Rounded up to where the next object may begin. */
    public long aligned(long bytes) {
        return bytes + flags.alignment - 1 & -flags.alignment;
    }

    /** The empty array has room for as many elements as the longest array of the same size. */
    private int probedBase(Class<?> component, int width) {
        long empty = agent.getObjectSize(Array.newInstance(component, 0));
        int fitting = 0;
        while (agent.getObjectSize(Array.newInstance(component, fitting + 1)) == empty) {
            fitting++;
        }
        return (int) empty - fitting * width;
    }

    private long byOffsets(Class<?> type) {
        long end = headerBytes();
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Field field : access.declaredFields(c)) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    end = Math.max(end, access.offset(field) + elementBytes(field.getType()));
                }
            }
        }
        return end;
    }
}
