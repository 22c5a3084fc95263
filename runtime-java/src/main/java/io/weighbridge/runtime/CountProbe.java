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
        Thread thread = Thread.currentThread();
        if (subclass != null) {
            int nearest = NearestClass.known((Class<?>) subclass);
            if (nearest != id) {
                if (nearest == NearestClass.UNKNOWN) {
                    uncommon((Class<?>) subclass, id, thread);
                }
                return;
            }
        }
        int slot = (int) thread.getId() & Stripes.MASK;
        if (Stripes.OWNERS[slot] == thread) {
            long[] cells = Stripes.CELLS[slot];
            int cell = id << 1;
            if (cell < cells.length) {
                cells[cell]++;
                return;
            }
        }
        uncommon((Class<?>) subclass, id, thread);
    }

    private static void uncommon(Class<?> subclass, int id, Thread thread) {
        OutOfLine.count(subclass, id, thread);
    }
}
