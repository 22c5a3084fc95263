package io.weighbridge.runtime.probe;

import java.util.function.IntConsumer;

/**
 * Counts the objects of classes that are only counted: a constructor of the object's own class has returned.
 *
 * <p>The object never comes here, so the JIT may still remove its allocation. The method is as small as possible: what is
 * inlined into a constructor counts against the JIT's limits for the program's own code.
 */
public final class CountProbe implements IntConsumer {
    /** The one for all jars. */
    public static final CountProbe INSTANCE = new CountProbe();

    private CountProbe() {
    }

    @Override
    @SuppressWarnings("deprecation") // As in LiveProbe.
    public void accept(int id) {
        Thread thread = Thread.currentThread();
        int slot = (int) thread.getId() & Stripes.MASK;
        if (Stripes.THREADS[slot] == thread) {
            long[] cells = Stripes.CELLS[slot];
            int cell = (id << 1) + Stripe.MARGIN;
            if (cell + Stripe.MARGIN < cells.length) {
                cells[cell]++;
                return;
            }
        }
        slow(id);
    }

    private static void slow(int id) {
        SlowPath.count(id);
    }
}
