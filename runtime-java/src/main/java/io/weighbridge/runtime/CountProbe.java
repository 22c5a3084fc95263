package io.weighbridge.runtime;

import java.util.function.ObjIntConsumer;

/**
 * Counts the objects of classes that are only counted.
 *
 * <p>The argument is null when the constructor is the one of the object's own class, otherwise the object's
 * class: the object itself never comes here, so the JIT may still remove its allocation.
 */
final class CountProbe implements ObjIntConsumer<Object> {
    static final CountProbe INSTANCE = new CountProbe();

    private CountProbe() {
    }

    @Override
    @SuppressWarnings("deprecation") // As in LiveProbe.
    public void accept(Object subclass, int id) {
        if (subclass != null) {
            Class<?> type = (Class<?>) subclass;
            if (!NearestClass.registersItself(type) && !NearestClass.isBelowRoot(id)) {
                subclass(type, id);
            }
            return;
        }
        Thread thread = Thread.currentThread();
        int slot = (int) thread.getId() & Stripes.MASK;
        if (Stripes.OWNERS[slot] == thread) {
            long[] cells = Stripes.CELLS[slot];
            int cell = id << 1;
            if (cell < cells.length) {
                cells[cell]++;
                return;
            }
        }
        uncommon(id, thread);
    }

    private static void subclass(Class<?> subclass, int id) {
        OutOfLine.count(subclass, id);
    }

    private static void uncommon(int id, Thread thread) {
        OutOfLine.count(id, thread);
    }
}
