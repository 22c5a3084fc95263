package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.Room;

/**
 * The runtime's one thread: a daemon of low priority that sweeps after collections, writes what was linked, and
 * measures at intervals.
 *
 * <p>It wakes up after each collection and at least once a second. Sweeps are at least 100 ms apart and take at most
 * 2 % of the time; interval measurements take at most {@code cpu_percent} of it.
 */
final class Ticker implements Runnable {
    private static final long WAKE_MS = 1000;
    private static final long PATIENCE_MS = 1000;
    /** A concurrent collector clears references some time before its bean counts the collection. */
    private static final long BEANS_MS = 20;
    private static final long SWEEP_PAUSE_NS = 100_000_000;
    private static final int SWEEP_SHARE = 50;

    private final Session session;
    private final Runnable disable;
    private volatile Thread running;
    private final Spacing spacing = new Spacing();
    private long nextSweep = System.nanoTime();
    /** The clock has started. */
    private boolean begun;
    private boolean managed;
    private boolean collected;

    /** {@code disable}: ends the runtime for good. */
    Ticker(Session session, Runnable disable) {
        this.session = session;
        this.disable = disable;
    }

    /** Starts the thread, with nothing of the current thread's but its stack: no inherited locals, no class loader. */
    void start() {
        Thread thread = new Thread(null, this, "weighbridge", 0, false);
        thread.setDaemon(true);
        thread.setPriority(Thread.MIN_PRIORITY);
        thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
        running = thread;
        thread.start();
    }

    /** Ends the thread; returns when it has ended, or after a second if it is in a measurement that does not give up. */
    void stop() {
        Thread thread = running;
        running = null;
        if (thread == null || thread == Thread.currentThread()) {
            return;
        }
        thread.interrupt();
        try {
            thread.join(PATIENCE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        try {
            while (!session.isDisabled()) {
                try {
                    turn();
                } catch (OutOfMemoryError | StackOverflowError e) {
                    met(e);
                    Thread.sleep(WAKE_MS);
                }
            }
        } catch (InterruptedException end) {
            // Somebody wants this thread gone.
        } catch (Throwable t) {
            Notices.failure("the runtime's thread ended; measurements go on at exit and on request", t);
        }
    }

    /** Saying it may take the memory that there is not. */
    private static void met(VirtualMachineError e) {
        try {
            Notices.note("the runtime's thread met " + e.getClass().getName());
        } catch (OutOfMemoryError | StackOverflowError again) {
            // The program has said it, or will.
        }
    }

    /** The clock starts before the first registrations are old, so that earlier collections are nobody's age. */
    private void begin() {
        session.registry.lock();
        try {
            session.registry.clock.tick(false);
        } finally {
            session.registry.unlock();
        }
        begun = true;
    }

    private void turn() throws InterruptedException {
        if (!begun && Room.forFirstUse()) {
            begin();
        }
        boolean cleared = session.registry.clock.await(waitMs());
        if (!begun) {
            return;
        }
        long now = System.nanoTime();
        session.registry.lock();
        try {
            collected = session.registry.clock.tick(cleared);
            if (collected && now - nextSweep >= 0) {
                collected = false;
                session.registry.sweep(true);
                long end = System.nanoTime();
                nextSweep = end + Math.max(SWEEP_PAUSE_NS, (end - now) * SWEEP_SHARE);
            }
        } finally {
            session.registry.unlock();
        }
        if (session.cost().snapshots == 0 && !Room.forFirstUse()) {
            return;
        }
        session.measurements.writeLinks();
        session.peaks.look();
        bean();
        interval(now, cleared);
    }

    /** Registers the managed bean once, if the options ask for it: here, because it loads the management classes. */
    private void bean() {
        if (managed || !session.options().jmx) {
            return;
        }
        managed = true;
        try {
            RuntimeBean.register(session, disable);
        } catch (LinkageError absent) {
            Notices.failure("the managed bean could not be registered", absent);
        }
    }

    private long waitMs() {
        long now = System.nanoTime();
        long wait = spacing.waitMs(now, session.options().peak == null ? WAKE_MS : PeakWatch.LOOK_MS);
        if (session.registry.clock.isAhead()) {
            wait = Math.min(wait, BEANS_MS);
        }
        return collected ? Math.min(wait, (nextSweep - now) / 1_000_000) : wait;
    }

    private void interval(long now, boolean afterCollection) {
        Options options = session.options();
        spacing.interval(options.intervalMs, now);
        session.measurements.stretch(spacing.stretch());
        long cpu = Management.threadCpuNs();
        session.cost().threadCpuNs = cpu;
        if (!spacing.isDue(now, afterCollection)) {
            return;
        }
        long start = System.nanoTime();
        session.measurements.measure("interval", null, 0);
        long after = Management.threadCpuNs();
        session.cost().threadCpuNs = after;
        long took = cpu >= 0 && after >= 0 ? after - cpu : System.nanoTime() - start;
        spacing.measured(start, took, options.cpuPercent);
        session.measurements.stretch(spacing.stretch());
    }
}
