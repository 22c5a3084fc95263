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
 */
final class ExitHook extends Thread {
    /** A longer walk is given up: an orchestrator kills 30 seconds after its SIGTERM. */
    static final long WALK_NANOS = 15_000_000_000L;
    private static final long PATIENCE_MS = 25_000;
    private final Ending ending;
    private final Consumer<String> runs;
    private final boolean last;
    private String reason;

    private ExitHook(Ending ending, Consumer<String> runs, boolean last, String name) {
        super(null, null, name, 0, false);
        this.ending = ending;
        this.runs = runs;
        this.last = last;
    }

    /** {@code runs} ends all runs, for a reason. */
    ExitHook(Ending ending, Consumer<String> runs) {
        this(ending, runs, false, "weighbridge-hook");
    }

    /** Does nothing if the JVM is shutting down already. */
    void install() {
        try {
            Runtime.getRuntime().addShutdownHook(this);
        } catch (IllegalStateException | SecurityException tooLate) {
            Notices.note("no measurement at exit: " + tooLate.getMessage());
        }
    }

    /** The runtime is switched off. */
    void remove() {
        try {
            Runtime.getRuntime().removeShutdownHook(this);
        } catch (IllegalStateException | SecurityException tooLate) {
            // The hook finds the recording closed.
        }
    }

    @Override
    public void run() {
        try {
            if (last) {
                ending.finish(reason, WALK_NANOS);
                runs.accept(reason);
                return;
            }
            ExitHook worker = new ExitHook(ending, runs, true, "weighbridge-exit");
            worker.reason = isTerminated() ? "sigterm" : "exit";
            worker.setDaemon(true);
            worker.start();
            worker.join(PATIENCE_MS);
            if (worker.isAlive()) {
                ending.finishWithoutWalk(worker.reason);
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
