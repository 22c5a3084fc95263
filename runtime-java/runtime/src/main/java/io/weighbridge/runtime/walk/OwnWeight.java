package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.InstrumentationHandle;
import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.jvm.RawFields;
import io.weighbridge.runtime.probe.Tracked;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/**
 * Bytes of heap that the runtime itself holds, counted object by object: from the static fields of its classes, through its
 * own objects, arrays, collections and texts, and never through an object of the program, a thread, a class or a loader.
 *
 * <p>What it remembers with the program's classes ({@link ClassValue}) counts if there is an agent, which lists them. What
 * does not count: the {@code Class} objects of the runtime (some 20 KB), an entry in the map of each thread that has a
 * stripe, and what only a running measurement holds. The program runs meanwhile: what moves counts once or not at all. Some
 * 100 ns an object; tracked references some nanoseconds each, for they are counted by their arrays.
 */
public final class OwnWeight {
    /** What {@link #measure} gives where it cannot look. */
    public static final long UNKNOWN = -1;
    private static final String OWN = "io.weighbridge.";
    private final FieldAccess access;
    private final ObjectSizes sizes;
    private final Map<Class<?>, KnownClass> kinds = new HashMap<>();
    private final Map<Object, Object> met = new IdentityHashMap<>();
    private final ArrayDeque<Object> unread = new ArrayDeque<>();
    private long bytes;
    private boolean ownMet;

    /** What is known of a class; one that is not entered has none. */
    private static final class KnownClass {
        long bytes;
        boolean own;
        long[] offsets = {};
    }

    private OwnWeight(FieldAccess access, ObjectSizes sizes) {
        this.access = access;
        this.sizes = sizes;
    }

    /**
     * Bytes; {@link #UNKNOWN} where the fields of the JDK's collections cannot be read.
     *
     * @param statics classes whose static fields hold objects, all of them initialised
     */
    public static long measure(List<Class<?>> statics) {
        FieldAccess access = FieldAccess.get();
        if (!access.complete()) {
            return UNKNOWN;
        }
        try {
            OwnWeight weight = new OwnWeight(access, ObjectSizes.get());
            weight.statics(statics);
            Instrumentation agent = InstrumentationHandle.get();
            if (agent != null) {
                weight.remembered(agent.getAllLoadedClasses());
            }
            return weight.bytes;
        } catch (ReflectiveOperationException | RuntimeException | LinkageError | OutOfMemoryError notNow) {
            return UNKNOWN;
        }
    }

    private void statics(List<Class<?>> classes) throws IllegalAccessException {
        for (Class<?> type : classes) {
            for (Field field : access.declaredFields(type)) {
                if (Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                    field.setAccessible(true);
                    meet(field.get(null));
                    read();
                }
            }
        }
    }

    /** Maps of classes in which the runtime has put something. */
    private void remembered(Class<?>[] classes) throws NoSuchFieldException {
        long map = offset(Class.class, "classValueMap");
        for (Class<?> type : classes) {
            Object values = RawFields.reference(type, map);
            if (values != null && !met.containsKey(values)) {
                long before = bytes;
                ownMet = false;
                meet(values);
                read();
                if (!ownMet) {
                    bytes = before;
                }
            }
        }
    }

    private long offset(Class<?> type, String name) throws NoSuchFieldException {
        for (Field field : access.declaredFields(type)) {
            if (field.getName().equals(name)) {
                return access.offset(field);
            }
        }
        throw new NoSuchFieldException(name);
    }

    private void meet(Object o) {
        if (o == null) {
            return;
        }
        Class<?> type = o.getClass();
        if (!type.isArray() && kind(o, type) == null || met.put(o, o) != null) {
            return;
        }
        unread.push(o);
    }

    private void read() {
        while (!unread.isEmpty()) {
            Object o = unread.pop();
            Class<?> type = o.getClass();
            if (type.isArray()) {
                readArray(o, type.getComponentType());
                continue;
            }
            KnownClass kind = kinds.get(type);
            bytes += kind.bytes;
            ownMet |= kind.own;
            for (long offset : kind.offsets) {
                meet(RawFields.reference(o, offset));
            }
        }
    }

    private void readArray(Object array, Class<?> component) {
        bytes += sizes.aligned(sizes.arrayBase(component) + (long) Array.getLength(array) * sizes.elementBytes(component));
        if (component == Tracked.class) {
            // Each is in one array; their sites are reached from the tree of sites.
            Tracked any = null;
            long tracked = 0;
            for (Tracked reference : (Tracked[]) array) {
                if (reference != null) {
                    any = reference;
                    tracked++;
                }
            }
            bytes += any == null ? 0 : tracked * sizes.instance(any);
        } else if (!component.isPrimitive()) {
            for (Object element : (Object[]) array) {
                meet(element);
            }
        }
    }

    private KnownClass kind(Object o, Class<?> type) {
        if (kinds.containsKey(type)) {
            return kinds.get(type);
        }
        KnownClass kind = null;
        boolean own = type.getName().startsWith(OWN);
        if (own || type.getClassLoader() == null && isPart(type)) {
            kind = new KnownClass();
            kind.own = own;
            kind.bytes = sizes.instance(o);
            kind.offsets = offsets(type);
        }
        kinds.put(type, kind);
        return kind;
    }

    /** Whether it is a class of the JDK of which the runtime's objects are made. */
    private static boolean isPart(Class<?> type) {
        String name = type.getName();
        return name.startsWith("java.util.") && type != Locale.class && !Properties.class.isAssignableFrom(type)
                || name.startsWith("java.lang.ref.") || name.startsWith("java.lang.ClassValue")
                || type == String.class || type == Long.class || type == Integer.class;
    }

    /** Offsets of the fields to follow: without those of the JDK that lead to referents, queues and threads. */
    private long[] offsets(Class<?> type) {
        List<Field> followed = new ArrayList<>();
        for (Field field : access.referenceFields(type)) {
            Class<?> c = field.getDeclaringClass();
            if (!c.getName().startsWith("java.lang.ref.Reference")
                    && (!Thread.class.isAssignableFrom(c) || c.getClassLoader() != null)) {
                followed.add(field);
            }
        }
        return access.offsets(followed);
    }
}
