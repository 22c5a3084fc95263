package io.weighbridge.runtime.jvm;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Field;

/**
 * The memory outside the heap that a direct buffer keeps allocated, in bytes.
 *
 * <p>It counts for the buffer that frees it, which is the one with a cleaner; slices, duplicates and read-only views have
 * none and refer to it. Files mapped into memory, segments of {@code java.lang.foreign} and what native code allocates do
 * not count.
 */
public final class OffHeap {
    private static final String DIRECT = "java.nio.DirectByteBuffer";
    private static final String MAPPED = "java.nio.MappedByteBuffer";
    private static final String BUFFER = "java.nio.Buffer";
    /** {@code (Object, long)int}. */
    private final MethodHandle getInt;
    private final long cleaner;
    private final long file;
    private final long capacity;

    private OffHeap(MethodHandle getInt, long cleaner, long file, long capacity) {
        this.getInt = getInt;
        this.cleaner = cleaner;
        this.file = file;
        this.capacity = capacity;
    }

    /** For objects of a class; null if they have no such memory or it cannot be read. */
    public static OffHeap of(Class<?> type, FieldAccess access) {
        if (!access.complete() || !type.getName().equals(DIRECT) || type.getClassLoader() != null) {
            return null;
        }
        Field cleaner = null;
        Field file = null;
        Field capacity = null;
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Field field : access.declaredFields(c)) {
                String name = field.getName();
                if (c == type && name.equals("cleaner")) {
                    cleaner = field;
                } else if (c.getName().equals(MAPPED) && name.equals("fd")) {
                    file = field;
                } else if (c.getName().equals(BUFFER) && name.equals("capacity") && field.getType() == int.class) {
                    capacity = field;
                }
            }
        }
        if (cleaner == null || file == null || capacity == null) {
            Notices.note("direct buffers of this JVM are not understood: memory outside the heap is not counted");
            return null;
        }
        return new OffHeap(access.getInt(), access.offset(cleaner), access.offset(file), access.offset(capacity));
    }

    /** Bytes that a buffer of the class keeps allocated; 0 for a view. */
    public long bytes(Object buffer) {
        if (RawFields.reference(buffer, cleaner) == null || RawFields.reference(buffer, file) != null) {
            return 0;
        }
        try {
            return (int) getInt.invokeExact(buffer, capacity);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
