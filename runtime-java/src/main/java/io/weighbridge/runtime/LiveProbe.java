package io.weighbridge.runtime;

import java.util.function.ObjIntConsumer;

/**
 * Counts and samples the objects of classes that are tracked live: a constructor of the object's own class has
 * returned.
 *
 * <p>The body stays small enough to be inlined into every constructor; everything that is not the steady state is
 * behind one call.
 */
final class LiveProbe implements ObjIntConsumer<Object> {
    static final LiveProbe INSTANCE = new LiveProbe();

    private LiveProbe() {
    }

    @Override
    @SuppressWarnings("deprecation") // Thread.threadId() is newer than 11; a getId() that lies costs the common path, no more.
    public void accept(Object o, int id) {
        Thread thread = Thread.currentThread();
        int slot = (int) thread.getId() & Stripes.MASK;
        if (Stripes.OWNERS[slot] == thread) {
            long[] cells = Stripes.CELLS[slot];
            int cell = id << 1;
            if (cell < cells.length) {
                if (++cells[cell] >= cells[cell + 1]) {
                    due(slot, o, id);
                }
                return;
            }
        }
        uncommon(o, id, thread);
    }

    private static void due(int slot, Object o, int id) {
        OutOfLine.draw(slot, o, id);
    }

    private static void uncommon(Object o, int id, Thread thread) {
        OutOfLine.live(o, id, thread);
    }
}
