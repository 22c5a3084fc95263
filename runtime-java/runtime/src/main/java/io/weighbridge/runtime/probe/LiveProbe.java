package io.weighbridge.runtime.probe;

import java.util.function.ObjIntConsumer;

/**
 * Counts and samples the objects of classes that are tracked live: a constructor of the object's own class has
 * returned.
 *
 * <p>The method is small enough to be inlined into every constructor. All but the steady state is behind one call.
 */
public final class LiveProbe implements ObjIntConsumer<Object> {
    /** The one for all jars. */
    public static final LiveProbe INSTANCE = new LiveProbe();

    private LiveProbe() {
    }

    @Override
    @SuppressWarnings("deprecation") // Thread.threadId() is newer than 11. A getId() that lies only costs the common path.
    public void accept(Object o, int id) {
        Thread thread = Thread.currentThread();
        int slot = (int) thread.getId() & Stripes.MASK;
        if (Stripes.THREADS[slot] == thread) {
            long[] cells = Stripes.CELLS[slot];
            int cell = (id << 1) + Stripe.MARGIN;
            if (cell + Stripe.MARGIN < cells.length && ++cells[cell] < cells[cell + 1]) {
                return;
            }
        }
        slow(o, id);
    }

    /** The object was counted and is sampled, or was not counted yet. One call is less code than two: it is asked again there. */
    private static void slow(Object o, int id) {
        SlowPath.liveOwn(o, id);
    }
}
