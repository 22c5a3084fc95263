package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.registry.Population;
import java.util.Arrays;
import java.util.List;

/**
 * Shallow sizes of instances by class, so that allocated objects have bytes.
 *
 * <p>Taken from a tracked object if there is one, otherwise by formula from the class, which is loaded since it has
 * constructed objects. Found once for each class. For the measuring thread only.
 */
public final class InstanceBytes {
    private static final long UNKNOWN = -1;
    /** By class id; 0 where not looked up yet. */
    private long[] known = {};

    /** Fills in what is missing for the classes that have allocated something; gives the sizes by class id. */
    long[] learn(List<Population> populations, long[] allocated, Shapes shapes) {
        if (known.length < allocated.length) {
            known = Arrays.copyOf(known, allocated.length);
        }
        for (Population p : populations) {
            if (known[p.entry.id] == 0) {
                known[p.entry.id] = fromObject(p, shapes);
            }
        }
        for (ClassEntry e : ClassTable.entries()) {
            if (e.id < allocated.length && allocated[e.id] > 0 && known[e.id] == 0) {
                known[e.id] = fromClass(e);
            }
        }
        return known(allocated.length);
    }

    /** What is known so far, by class id. */
    long[] known(int classes) {
        return Arrays.copyOf(known, classes);
    }

    /** 0 if no object of the class itself is tracked. */
    private static long fromObject(Population p, Shapes shapes) {
        for (Object o : p.objects) {
            if (o.getClass().getName().equals(p.entry.name)) {
                Shape shape = shapes.get(o.getClass());
                return shape == Shape.SKIPPED ? 0 : shapes.bytes(o, shape);
            }
        }
        return 0;
    }

    private static long fromClass(ClassEntry e) {
        try {
            return ObjectSizes.get().instance(Class.forName(e.name, false, ClassTable.loaderOf(e)));
        } catch (ClassNotFoundException | LinkageError | RuntimeException unloaded) {
            return UNKNOWN;
        }
    }
}
