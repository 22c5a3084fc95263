package io.weighbridge.runtime.events;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.ObjectSizes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * The numbers of classes, and their lines in the trace. Asks the JVM for fields, not reflection: that would load the classes of
 * their types.
 */
final class ClassNumbers implements ToIntFunction<Class<?>> {
    /** As the class of the probes has it. */
    private static final int OURS = 1 << 29;

    private final FieldAccess access;
    private final ObjectSizes sizes;
    private final NameLines lines;
    private final Map<Class<?>, Integer> numbers = new IdentityHashMap<>();
    private final Map<Class<?>, Layout> layouts = new IdentityHashMap<>();
    /** Of a class that the JVM has not prepared. */
    private final Layout unknown = new Layout(new long[0], new long[0], 0);
    /** Classes that were not prepared when they were met. */
    private final List<Class<?>> unprepared = new ArrayList<>();

    ClassNumbers(FieldAccess access, ObjectSizes sizes, NameLines lines) {
        this.access = access;
        this.sizes = sizes;
        this.lines = lines;
    }

    /** The number, with {@link #OURS} for a class of ours; its complement for a hidden class, whose code has no probes. */
    @Override
    public synchronized int applyAsInt(Class<?> type) {
        Integer known = numbers.get(type);
        if (known == null) {
            int above = type.getSuperclass() == null ? 0 : plain(applyAsInt(type.getSuperclass()));
            known = numbers.size() + 1;
            numbers.put(type, known);
            tell(type, known, above);
        }
        int number = isOurs(type) ? known | OURS : known;
        return type.getName().indexOf('/') >= 0 && !type.isArray() ? ~number : number;
    }

    /** Of the runtime, its loader, or what the probes call. */
    static boolean isOurs(Class<?> type) {
        String name = type.getName();
        return name.startsWith("io.weighbridge.") || name.startsWith("java.lang.Weighbridge$");
    }

    private static int plain(int number) {
        return (number < 0 ? ~number : number) & ~OURS;
    }

    private void tell(Class<?> type, int number, int above) {
        lines.classObject(number, NativeMethods.sizeOf(type));
        if (type.isArray()) {
            Class<?> component = type.getComponentType();
            lines.array(number, type.getName(), above, sizes.arrayBase(component),
                    Integer.numberOfTrailingZeros(sizes.elementBytes(component)));
            return;
        }
        String[] fields = type.isPrimitive() ? new String[0] : NativeMethods.fieldsOf(type);
        if (fields == null) {
            unprepared.add(type);
            lines.unprepared(number, type.getName(), above);
            return;
        }
        Layout layout = layout(type);
        NameLines own = new NameLines();
        own.startClass(number, type.getName(), above, sizes.aligned(Math.max(layout.end, sizes.headerBytes())));
        for (boolean isStatic : new boolean[] {false, true}) {
            own.startFields();
            for (int i = 0; i < fields.length; i += 3) {
                if (isReference(fields[i + 1]) && isStatic == !fields[i + 2].isEmpty()) {
                    own.field(access.offset(type, fields[i]), fields[i]);
                }
            }
            own.endFields();
        }
        own.endClass();
        lines.add(own);
    }

    /** Tells the classes that were prepared meanwhile. */
    synchronized void tellPrepared() {
        for (int i = unprepared.size() - 1; i >= 0; i--) {
            Class<?> type = unprepared.get(i);
            if (NativeMethods.fieldsOf(type) != null) {
                unprepared.remove(i);
                layouts.remove(type);
                int above = type.getSuperclass() == null ? 0 : plain(applyAsInt(type.getSuperclass()));
                tell(type, numbers.get(type), above);
            }
        }
    }

    /** Where the references of an object of this class are. */
    synchronized Layout layout(Class<?> type) {
        Layout known = layouts.get(type);
        if (known == null) {
            known = find(type);
            if (known != unknown) {
                layouts.put(type, known);
            }
        }
        return known;
    }

    private Layout find(Class<?> type) {
        String[] fields = type.isPrimitive() || type.isArray() ? null : NativeMethods.fieldsOf(type);
        if (fields == null) {
            return unknown;
        }
        Layout above = type.getSuperclass() == null ? unknown : layout(type.getSuperclass());
        long[] references = Arrays.copyOf(above.references, above.references.length + fields.length / 3);
        long[] statics = new long[fields.length / 3];
        int count = above.references.length;
        int staticCount = 0;
        long end = Math.max(above.end, sizes.headerBytes());
        for (int i = 0; i < fields.length; i += 3) {
            boolean isStatic = !fields[i + 2].isEmpty();
            boolean holds = isReference(fields[i + 1]);
            if (isStatic && !holds) {
                continue;
            }
            long offset = access.offset(type, fields[i]);
            if (isStatic) {
                statics[staticCount++] = offset;
                continue;
            }
            end = Math.max(end, offset + (holds ? sizes.referenceBytes() : width(fields[i + 1].charAt(0))));
            if (holds) {
                references[count++] = offset;
            }
        }
        return new Layout(Arrays.copyOf(references, count), Arrays.copyOf(statics, staticCount), end);
    }

    private static boolean isReference(String signature) {
        char first = signature.charAt(0);
        return first == 'L' || first == '[';
    }

    private static int width(char signature) {
        switch (signature) {
            case 'J':
            case 'D':
                return 8;
            case 'I':
            case 'F':
                return 4;
            case 'S':
            case 'C':
                return 2;
            default:
                return 1;
        }
    }
}
