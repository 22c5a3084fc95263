package io.weighbridge;

import io.weighbridge.runtime.Measuring;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;

/**
 * The runtime's API for programs. Nothing here throws, but what a wrapped task throws itself.
 *
 * <p>A program that may run without the runtime looks the class up by name, as the rewritten code does.
 */
public final class Weighbridge {
    private Weighbridge() {
    }

    /**
     * Measures now, on the calling thread, and returns when the snapshot is in the recording.
     *
     * <p>Costs a full collection (unless {@code gc=never}) and some 100 ns for each object that is reached. Counts are
     * exact for everything that happened before the call (JLS 17.4.5).
     *
     * @param label stands in the snapshot; may be null
     * @return true if the snapshot was written; false if the runtime is disabled, writes no file, cannot write it, is
     *         still busy with another measurement after 30 seconds, or the JVM is ending
     */
    public static boolean measure(String label) {
        return Measuring.request(label);
    }

    /**
     * The age of one object, if it is tracked: its class is, and the sample holds it.
     *
     * <p>Costs a look at each reference of its class. An object that was just registered is found, too.
     */
    public static Optional<Age> age(Object object) {
        long[] age = object == null ? null : Measuring.age(object);
        return age == null ? Optional.empty() : Optional.of(new Age(age));
    }

    /**
     * Attributes what this thread constructs to a tag, until the scope is closed:
     * {@code try (Scope s = Weighbridge.scope("request", "GET /orders")) { ... }}.
     *
     * <p>Threads and virtual threads that are started meanwhile inherit it for good, pool threads included; tasks for
     * threads that exist already carry it if they are wrapped. Not carried: tasks of parallel streams, of
     * {@code CompletableFuture}'s own pool and of libraries' pools that nobody wrapped, timers, and what a reactive
     * library moves to another thread. Keys and values stand in the recording. After 200 values of a key, or
     * 1,000 combinations, a new value counts as {@code other}: use templates ({@code GET /orders/{id}}), not ids. Some 100 ns.
     */
    public static Scope scope(String key, String value) {
        return new Scope(key, value);
    }

    /** A task that runs under the tags in force now, on whatever thread. */
    public static Runnable wrap(Runnable task) {
        int tags = Measuring.current();
        return () -> {
            int before = Measuring.current();
            Measuring.restore(tags);
            try {
                task.run();
            } finally {
                Measuring.restore(before);
            }
        };
    }

    /** A task with a result that runs under the tags in force now, on whatever thread. */
    public static <T> Callable<T> wrap(Callable<T> task) {
        int tags = Measuring.current();
        return () -> {
            int before = Measuring.current();
            Measuring.restore(tags);
            try {
                return task.call();
            } finally {
                Measuring.restore(before);
            }
        };
    }

    /** An executor whose tasks run under the tags that were in force when they were handed over. */
    public static Executor wrap(Executor executor) {
        return task -> executor.execute(wrap(task));
    }

    /**
     * Switches the runtime off for good: the recording is closed with a footer, the runtime's thread ends, references
     * and counts are dropped, and the probes do nothing from now on. Waits for a measurement to give up, about a second
     * at most.
     */
    public static void disable() {
        Measuring.disable();
    }
}
