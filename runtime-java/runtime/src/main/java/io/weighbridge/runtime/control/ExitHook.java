package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.Notices;
import java.util.function.Consumer;

/**
 * Takes the last measurement when the JVM shuts down in order.
 *
 * <p>It runs on a thread of its own, and the shutdown waits only {@link #PATIENCE_MS} for it: the walk loads classes of
 * field types, and their loaders may wait for a lock that an exiting thread holds.
 *
 * <p>To Java, SIGTERM is a shutdown like any other. This recognises it without a signal handler: while the JVM handles the
 * signal, a thread that is named after it waits for this hook (JDK 11 to 25, {@code jdk.internal.misc.Signal.dispatch}).
 *
 * <p>No subclass of {@code Thread}: a walk that comes to the threads of a group would go on into what is measured.
 */
final class ExitHook implements Runnable {
    /** A longer walk is given up: an orchestrator kills 30 seconds after its SIGTERM. */
    static final long WALK_NANOS = 15_000_000_000L;
    private static final long PATIENCE_MS = 25_000;
    private final Ending ending;
    private final Consumer<String> runs;
    /** Why the JVM ends, for the thread that takes the measurement; null for the one that waits for it. */
    private final String reason;
    private final Thread thread;

    private ExitHook(Ending ending, Consumer<String> runs, String reason, String name) {
        this.ending = ending;
        this.runs = runs;
        this.reason = reason;
        thread = new Thread(null, this, name, 0, false);
    }

    /** {@code runs} ends all runs, for a reason. */
    ExitHook(Ending ending, Consumer<String> runs) {
        this(ending, runs, null, "weighbridge-hook");
    }

    /** Does nothing if the JVM is shutting down already. */
    void install() {
        try {
            Runtime.getRuntime().addShutdownHook(thread);
        } catch (IllegalStateException | SecurityException tooLate) {
            Notices.note("no measurement at exit: " + tooLate.getMessage());
        }
    }

    /** The runtime is switched off. */
    void remove() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException | SecurityException tooLate) {
            // The hook finds the recording closed.
        }
    }

    @Override
    public void run() {
        try {
            if (reason != null) {
                ending.finish(reason, WALK_NANOS);
                runs.accept(reason);
                return;
            }
            ExitHook last = new ExitHook(ending, runs, isTerminated() ? "sigterm" : "exit", "weighbridge-exit");
            last.thread.setDaemon(true);
            last.thread.start();
            last.thread.join(PATIENCE_MS);
            if (last.thread.isAlive()) {
                ending.finishWithoutWalk(last.reason);
            }
        } catch (InterruptedException hurry) {
            // Then there is no last measurement.
        } catch (Throwable t) {
            Notices.failure("the last measurement failed", t);
        }
    }

    private static boolean isTerminated() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] threads = new Thread[root.activeCount() + 16];
        int number = root.enumerate(threads);
        for (int i = 0; i < number; i++) {
            if ("SIGTERM handler".equals(threads[i].getName())) {
                return true;
            }
        }
        return false;
    }
}
