package io.weighbridge.runtime.jvm;

import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import sun.misc.Unsafe;

/**
 * Access to the fields of any class, found once, without a warning on any JDK from 11 on.
 *
 * <p>It needs the one lookup that may do everything, {@code MethodHandles.Lookup.IMPL_LOOKUP}. There are three ways to it:
 * an agent opens {@code java.lang.invoke} to this module; the manifest of an executable jar or {@code --add-opens} has
 * opened it; up to JDK 23 {@code sun.misc.Unsafe} reads the field (from 24 on that warns, JEP 498). Through the lookup the
 * JDK's inner {@code Unsafe} gives offsets and reads references, of hidden classes and records too. Without the lookup only
 * what is open to reflection is read.
 */
public final class FieldAccess {
    /** As in the recording's header. */
    public final String kind;
    /** The lookup that may do everything, or null. */
    final MethodHandles.Lookup lookup;
    /** {@code (Object, long)Object}, or null without the lookup. */
    MethodHandle getReference;
    /** The inner {@code Unsafe}, and its readers of bits. They are bound when needed, for that makes classes. */
    private Object unsafe;
    private MethodHandle getInt;
    private MethodHandle getLong;
    /** Bytes before the first element of an array of references and between two, or 0. */
    int arrayBase;
    int arrayScale;
    /** {@code (Field)long}, or null. */
    private MethodHandle offset;
    /** {@code (Class, String)long}, of static fields, too; or null. */
    private MethodHandle offsetByName;
    /** {@code (Class, boolean)Field[]}: also the fields that reflection hides (JDK-8210496), or null. */
    private MethodHandle declaredFields;

    private static FieldAccess found;

    private FieldAccess(String kind, MethodHandles.Lookup lookup) {
        this.kind = kind;
        this.lookup = lookup;
    }

    /** Throws whatever this JVM's inner {@code Unsafe} lacks. */
    private void useUnsafe() throws Throwable {
        Class<?> type = Class.forName("jdk.internal.misc.Unsafe");
        unsafe = lookup.findStatic(type, "getUnsafe", MethodType.methodType(type)).invoke();
        MethodType reading = MethodType.methodType(Object.class, Object.class, long.class);
        MethodHandle get;
        try {
            get = lookup.findVirtual(type, "getReference", reading);
        } catch (NoSuchMethodException before12) {
            get = lookup.findVirtual(type, "getObject", reading);
        }
        getReference = get.bindTo(unsafe);
        getInt = lookup.findVirtual(type, "getInt", reading.changeReturnType(int.class));
        getLong = lookup.findVirtual(type, "getLong", reading.changeReturnType(long.class));
        arrayBase = ofArrays("arrayBaseOffset");
        arrayScale = ofArrays("arrayIndexScale");
        offset = lookup.findVirtual(type, "objectFieldOffset", MethodType.methodType(long.class, Field.class)).bindTo(unsafe);
        offsetByName = lookup.findVirtual(type, "objectFieldOffset",
                MethodType.methodType(long.class, Class.class, String.class)).bindTo(unsafe);
        declaredFields = lookup.findVirtual(Class.class, "getDeclaredFields0",
                MethodType.methodType(Field[].class, boolean.class));
    }

    /** An int up to JDK 24; the base is a long from 25 on. */
    private int ofArrays(String name) throws Throwable {
        Class<?> arrays = Object[].class;
        try {
            MethodHandle get = lookup.findVirtual(unsafe.getClass(), name, MethodType.methodType(int.class, Class.class));
            return (int) get.bindTo(unsafe).invokeExact(arrays);
        } catch (NoSuchMethodException from25) {
            MethodHandle get = lookup.findVirtual(unsafe.getClass(), name, MethodType.methodType(long.class, Class.class));
            return (int) (long) get.bindTo(unsafe).invokeExact(arrays);
        }
    }

    /** The best access there is in this JVM. */
    public static synchronized FieldAccess get() {
        if (found == null) {
            found = find();
        }
        return found;
    }

    private static FieldAccess find() {
        Instrumentation agent = InstrumentationHandle.get();
        FieldAccess access = null;
        if (agent != null && openToUs(agent)) {
            access = through("instrumentation", reflected());
        }
        int feature = Runtime.version().feature();
        // Up to JDK 15 every package of the JDK is open, but warns at first use (JEP 261, --illegal-access=permit).
        if (access == null && feature >= 16
                && Object.class.getModule().isOpen("java.lang.invoke", FieldAccess.class.getModule())) {
            access = through("opened", reflected());
        }
        if (access == null && feature < 24) {
            access = through("unsafe", unsafely());
        }
        return access != null ? access : none();
    }

    /** Access without the lookup. */
    public static FieldAccess none() {
        return new FieldAccess("none", null);
    }

    private static boolean openToUs(Instrumentation agent) {
        try {
            agent.redefineModule(Object.class.getModule(), Collections.<Module>emptySet(), Collections.emptyMap(),
                    Collections.singletonMap("java.lang.invoke", Collections.singleton(FieldAccess.class.getModule())),
                    Collections.<Class<?>>emptySet(), Collections.emptyMap());
            return true;
        } catch (RuntimeException | LinkageError refused) {
            return false;
        }
    }

    private static MethodHandles.Lookup reflected() {
        try {
            Field field = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
            field.setAccessible(true);
            return (MethodHandles.Lookup) field.get(null);
        } catch (ReflectiveOperationException | RuntimeException closed) {
            return null;
        }
    }

    /** A call of {@code Unsafe} by reflection would make proxies for annotations. */
    private static MethodHandles.Lookup unsafely() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            Unsafe outer = (Unsafe) field.get(null);
            Field lookup = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
            return (MethodHandles.Lookup) outer.getObject(outer.staticFieldBase(lookup), outer.staticFieldOffset(lookup));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError absent) {
            return null;
        }
    }

    private static FieldAccess through(String kind, MethodHandles.Lookup lookup) {
        if (lookup == null) {
            return null;
        }
        try {
            FieldAccess access = new FieldAccess(kind, lookup);
            access.useUnsafe();
            return access;
        } catch (Throwable changed) {
            Notices.note("this JVM's fields are reached by reflection only: " + changed);
            return null;
        }
    }

    /** True if every field of every class can be read. */
    public boolean complete() {
        return getReference != null;
    }

    /** {@code (Object, long)int}: the bits of a field; for a complete access only. */
    MethodHandle getInt() {
        return getInt.bindTo(unsafe);
    }

    /** {@code (Object, long)long}. */
    MethodHandle getLong() {
        return getLong.bindTo(unsafe);
    }

    /** Fields declared by a class. May load the classes of their types (JVMS 5.3), hence throw a {@link LinkageError}. */
    public Field[] declaredFields(Class<?> type) {
        if (declaredFields == null) {
            return type.getDeclaredFields();
        }
        try {
            return (Field[]) declaredFields.invokeExact(type, false);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Instance fields of a class and its superclasses that hold references. May throw as {@link #declaredFields}. */
    public List<Field> referenceFields(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Field field : declaredFields(c)) {
                if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                    fields.add(field);
                }
            }
        }
        return fields;
    }

    /** As {@link #offset}, side by side with the fields. */
    public long[] offsets(List<Field> fields) {
        long[] offsets = new long[fields.size()];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = offset(fields.get(i));
        }
        return offsets;
    }

    /** Where an instance field lies in its object, in bytes; for a complete access only. */
    public long offset(Field field) {
        try {
            return (long) offset.invokeExact(field);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Where a field that a class declares lies in its object, or a static field in the class object; loads no class. */
    public long offset(Class<?> type, String field) {
        try {
            return (long) offsetByName.invokeExact(type, field);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
