package io.weighbridge.runtime;

/**
 * The last measurement, when the JVM shuts down in order.
 *
 * <p>It runs on a thread of its own, and the shutdown waits for that thread for a bounded time only: the walk asks
 * for classes of field types, whose loaders may wait for a lock that a thread holds while it exits.
 *
 * <p>SIGTERM is a shutdown like any other to Java. It is told apart without touching signal handlers: while the
 * signal is being handled, its handler is a thread that the JVM has named after it (JDK 11 to 25,
 * {@code jdk.internal.misc.Signal.dispatch}), waiting for this hook.
 */
final class ExitHook extends Thread {
    /** A walk longer than this is given up: an orchestrator kills 30 seconds after its SIGTERM. */
    private static final long WALK_NANOS = 15_000_000_000L;
    private static final long PATIENCE_MS = 25_000;
    private static volatile ExitHook installed;
    private final Session session;
    private final boolean last;
    private String reason;

    private ExitHook(Session session, boolean last, String name) {
        super(null, null, name, 0, false);
        this.session = session;
        this.last = last;
    }

    /** Does nothing if the JVM is shutting down already. */
    static void install(Session session) {
        try {
            ExitHook hook = new ExitHook(session, false, "weighbridge-hook");
            Runtime.getRuntime().addShutdownHook(hook);
            installed = hook;
        } catch (IllegalStateException | SecurityException tooLate) {
            Notices.note("no measurement at exit: " + tooLate.getMessage());
        }
    }

    /** The runtime is switched off: nothing is left to do at the end. */
    static void remove() {
        ExitHook hook = installed;
        installed = null;
        try {
            if (hook != null) {
                Runtime.getRuntime().removeShutdownHook(hook);
            }
        } catch (IllegalStateException | SecurityException ending) {
            // The hook finds the recording closed.
        }
    }

    @Override
    public void run() {
        try {
            if (last) {
                session.finish(reason, WALK_NANOS);
                return;
            }
            ExitHook worker = new ExitHook(session, true, "weighbridge-exit");
            worker.reason = isTerminated() ? "sigterm" : "exit";
            worker.setDaemon(true);
            worker.start();
            worker.join(PATIENCE_MS);
            if (worker.isAlive()) {
                session.finishWithoutWalk(worker.reason);
            }
        } catch (InterruptedException hurry) {
            // Then without.
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
