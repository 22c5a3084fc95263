package io.weighbridge;

import io.weighbridge.runtime.Measuring;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The runtime's API for programs. Nothing here throws, except what a wrapped task throws, and {@link #checkpoint}.
 *
 * <p>A program that may run without the runtime and without the native agent has to look this class up by name, as rewritten
 * code does. The agent brings it along ({@code docs/attach.md}): it is then visible to every loader that asks the system class
 * loader, and does nothing between sessions.
 */
public final class Weighbridge {
    private Weighbridge() {
    }

    /**
     * Measures now, on the calling thread, and returns when the snapshot is in the recording.
     *
     * <p>Costs a full collection (unless {@code gc=never}) and some 100 ns for each object reached. Counts are exact for
     * everything that happened before the call (JLS 17.4.5).
     *
     * @param label written into the snapshot; may be null
     * @return true if the snapshot was written; false if the runtime is disabled, writes no file, cannot write it, is
     *         still busy with another measurement after 30 seconds, or the JVM is ending
     */
    public static boolean measure(String label) {
        return Measuring.request(label);
    }

    /**
     * Does something again and again and measures what remains of it: {@code Weighbridge.roundTrip("login", 20, () -> ...)}.
     * {@code weighbridge check} compares the measurements ({@code [[round_trip]]}, docs/configuration.md).
     *
     * <p>Measures as {@link #measure} does before the first round, after three rounds that warm up caches, and after
     * {@code rounds} more. What is live at the end and was not after the warm-up remains. The rounds run on the calling
     * thread. What they start on other threads has to end before they return.
     *
     * @param name tells this round trip from others, the same in the configuration
     * @param rounds how often it is done, from 1
     * @return true if all three snapshots were written
     * @throws E what a round throws; the round trip has then no result
     */
    public static <E extends Exception> boolean roundTrip(String name, int rounds, Round<E> round) throws E {
        return roundTrip(name, 3, rounds, round);
    }

    /**
     * The same with another number of rounds that warm up: a cache of 100 entries may need 100.
     *
     * @param warmUp from 1; what they leave is not judged
     */
    public static <E extends Exception> boolean roundTrip(String name, int warmUp, int rounds, Round<E> round)
            throws E {
        int before = Math.max(warmUp, 1);
        int all = before + Math.max(rounds, 1);
        boolean written = measure("round-trip " + name + " 0");
        for (int done = 0; done < all; done++) {
            if (done == before) {
                written &= measure("round-trip " + name + " " + before);
            }
            round.run();
        }
        return written & measure("round-trip " + name + " " + all);
    }

    /**
     * The age of one object, if it is tracked: its class is, and the sample holds it.
     *
     * <p>Costs a look at each reference of its class. Finds an object that was just registered, too.
     */
    public static Optional<Age> age(Object object) {
        long[] age = object == null ? null : Measuring.age(object);
        return age == null ? Optional.empty() : Optional.of(new Age(age));
    }

    /**
     * Attributes what this thread constructs to a tag, until the scope is closed:
     * {@code try (Scope s = Weighbridge.scope("request", "GET /orders")) { ... }}.
     *
     * <p>Threads and virtual threads that are started meanwhile inherit it for good, pool threads included. Tasks for threads
     * that exist already carry it if they are wrapped. Tasks of parallel streams, of {@code CompletableFuture}'s own pool, of
     * libraries' unwrapped pools, timers, and what a reactive library moves to another thread do not carry it. The recording
     * has keys and values. After 200 values of a key, or 1,000 combinations, a new value counts as {@code other}: use templates
     * ({@code GET /orders/{id}}), not ids. Costs some 100 ns.
     */
    public static Scope scope(String key, String value) {
        return new Scope(key, value);
    }

    /**
     * Throws {@link Cancelled} if the work of the current thread, a scope or the thread as a whole, was cancelled because memory
     * ran short (docs/shortage.md); for loops that may hold much. Of one cancelling it throws at most ten times a second, so
     * that cleaning up can go on. Costs some nanoseconds.
     */
    public static void checkpoint() {
        String reason = Measuring.due();
        if (reason != null) {
            throw new Cancelled(reason);
        }
    }

    /**
     * Whether new work of this kind may begin. While memory is short, waits until there is room for what such work has needed
     * before, and gives false after the option {@code shortage_admit_wait}. True at once if it is not short, nobody watches, or
     * the policy only observes.
     */
    public static boolean admit(String key, String value) {
        return Measuring.admit(key, value);
    }

    /** A task that runs under the tags in force now, on whatever thread. */
    public static Runnable wrap(Runnable task) {
        long tags = Measuring.current();
        return () -> {
            long before = Measuring.current();
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
        long tags = Measuring.current();
        return () -> {
            long before = Measuring.current();
            Measuring.restore(tags);
            try {
                return task.call();
            } finally {
                Measuring.restore(before);
            }
        };
    }

    /** An executor whose tasks run under the tags that were in force when {@code execute} was called. */
    public static Executor wrap(Executor executor) {
        return task -> executor.execute(wrap(task));
    }

    /**
     * Says which component an object belongs to, for heap dumps: {@code Weighbridge.node("web.session[42]", session)}.
     *
     * <p>{@code weighbridge heap components} shows the component with what the object holds, without any rule of a
     * configuration; dots and brackets make parts: {@code web.session[42]} is a part of {@code web.session}, that one of
     * {@code web}. An object belongs to the component that it was given last. The reference to it is weak: it may be
     * collected, and dumps show the sizes that it has without its node.
     *
     * <p>Costs some 100 ns, and 120 bytes until the object is collected; objects beyond 100,000 get no node. Names are cut
     * after 200 characters.
     */
    public static void node(String component, Object object) {
        Measuring.node(component, object);
    }

    /**
     * Keeps a description of the program's components, which is called before each heap dump that the runtime writes
     * ({@link #dumpHeap}, the option {@code peak_dump}):
     * {@code Weighbridge.nodes(node -> sessions.forEach(s -> node.accept("web.session[" + s.id() + "]", s)))}.
     *
     * <p>It names objects as {@link #node} does, for this dump alone; an object that has a node already keeps it. It is called
     * on a thread of the runtime. If it takes more than two seconds, it is never called again. What it throws is noted in the
     * recording. The runtime holds it, and what it captures, until {@link #disable}.
     */
    public static void nodes(Consumer<BiConsumer<String, Object>> description) {
        Measuring.nodes(description);
    }

    /**
     * Writes a heap dump of the live objects, on the calling thread: a full collection, and a pause that grows with the
     * heap (about a second for each gigabyte).
     *
     * @param file the path, with {@code %p} for the process id; must not exist
     * @return true if the file is there; false if the runtime is disabled, the file existed, the disk has no room for
     *         twice the heap in use, or the JVM cannot write it (the recording has a note)
     */
    public static boolean dumpHeap(String file) {
        return Measuring.dumpHeap(file);
    }

    /**
     * Asks the native agent as clients of its control channel do, and gives its reply, a line of JSON (docs/control.md):
     * {@code Weighbridge.request("{\"v\":1,\"id\":1,\"do\":\"trace_start\",...}")}. Waits for the reply, two minutes at most.
     *
     * @return a reply with {@code error} if there is no agent; null only if there is no memory for one
     */
    public static String request(String line) {
        return Measuring.ask(line);
    }

    /**
     * Switches the runtime off for good: the recording is closed with a footer, the runtime's thread ends, references
     * and counts are dropped, and the probes do nothing from now on. Waits about a second at most for a measurement to give
     * up.
     */
    public static void disable() {
        Measuring.disable();
    }
}
