package io.weighbridge.runtime;

/**
 * Shallow sizes of instances by class, so that allocated objects have bytes.
 *
 * <p>Taken from a tracked object where there is one, otherwise by formula from the class itself, which was loaded when
 * it constructed its first object. Asked once for each class.
 */
final class InstanceBytes {
    private static final long UNKNOWN = -1;

    private InstanceBytes() {
    }

    /** Fills in what is missing for the classes that have allocated something. For the measuring thread. */
    static void learn(Measurement m, Shapes shapes) {
        for (Population p : m.populations) {
            if (p.entry.instanceBytes == 0) {
                fromObject(p, shapes);
            }
        }
        for (ClassEntry e : ClassTable.entries()) {
            if (e.id < m.allocated.length && m.allocated[e.id] > 0 && e.instanceBytes == 0) {
                e.instanceBytes = fromClass(e);
            }
        }
    }

    /** True if the size of the class's instances is known. */
    static boolean known(ClassEntry e) {
        return e.instanceBytes > 0;
    }

    private static void fromObject(Population p, Shapes shapes) {
        for (Object o : p.objects) {
            if (o.getClass().getName().equals(p.entry.name)) {
                Shape shape = shapes.get(o.getClass());
                if (shape != Shape.SKIPPED) {
                    p.entry.instanceBytes = shapes.bytes(o, shape);
                }
                return;
            }
        }
    }

    private static long fromClass(ClassEntry e) {
        try {
            return ObjectSizes.get().instance(Class.forName(e.name, false, ClassTable.loaderOf(e)));
        } catch (ClassNotFoundException | LinkageError | RuntimeException unloaded) {
            return UNKNOWN;
        }
    }
}
