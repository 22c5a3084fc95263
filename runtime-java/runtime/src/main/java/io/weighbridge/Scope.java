package io.weighbridge;

import io.weighbridge.runtime.Measuring;

/**
 * A piece of work with a name: until it is closed, what its thread constructs is attributed to it.
 *
 * <p>Close it on the thread that opened it, inner scopes first; {@code try} does both. To close it on another thread or
 * twice has no effect.
 */
public final class Scope implements AutoCloseable {
    private final long before;
    /** Its number; 0 unless memory shortages are watched. A number, so that an open scope keeps no runtime that has gone. */
    private final long work;
    private Thread opener = Thread.currentThread();

    Scope(String key, String value) {
        before = Measuring.enter(key, value);
        work = Measuring.begin(key, value);
    }

    /** Throws {@link Cancelled} if the current thread's work was cancelled: {@link Weighbridge#checkpoint}. */
    public void checkpoint() {
        Weighbridge.checkpoint();
    }

    /** Puts the tags in force again that were in force before. */
    @Override
    public void close() {
        if (opener == Thread.currentThread()) {
            opener = null;
            Measuring.restore(before);
            if (work != 0) {
                Measuring.end(work);
            }
        }
    }
}
