package io.weighbridge.runtime.control;

import io.weighbridge.runtime.record.Occasion;
import io.weighbridge.runtime.walk.Measurement;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The measurement when the JVM ends. Two threads may write it: the one that takes it or, if its walk takes too long, the one
 * that waits for it. The first to claim it writes it.
 */
final class LastMeasurement {
    /** The measurement before its walk; null until it has counted. */
    volatile Measurement counted;
    volatile Occasion occasion;
    private final AtomicReference<Thread> writer = new AtomicReference<>();

    /** True if this thread is the one to write. */
    boolean claim() {
        return writer.compareAndSet(null, Thread.currentThread());
    }

    /** Another thread writes it. */
    boolean isTaken() {
        Thread by = writer.get();
        return by != null && by != Thread.currentThread();
    }
}
