package io.weighbridge.runtime;

/**
 * The runtime's one thread: a daemon of low priority that sweeps after collections, writes what was linked, and
 * measures at intervals.
 *
 * <p>It wakes up after each collection and at least once a second. Sweeps are at least 100 ms apart and take at most
 * 2 % of the time; interval measurements take at most {@code cpu_percent} of it.
 */
final class Ticker implements Runnable {
    private static final long WAKE_MS = 1000;
    private static final long SWEEP_PAUSE_NS = 100_000_000;
    private static final int SWEEP_SHARE = 50;

    private final Session session;
    private long nextSweep = System.nanoTime();
    private boolean collected;
    private long intervalMs;
    private long nextMeasure;

    private Ticker(Session session) {
        this.session = session;
    }

    /** Starts the thread, with nothing of the current thread's but its stack: no inherited locals, no class loader. */
    static void start(Session session) {
        Thread thread = new Thread(null, new Ticker(session), "weighbridge", 0, false);
        thread.setDaemon(true);
        thread.setPriority(Thread.MIN_PRIORITY);
        thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
        thread.start();
    }

    @Override
    public void run() {
        try {
            while (true) {
                try {
                    turn();
                } catch (OutOfMemoryError | StackOverflowError e) {
                    Notices.note("the runtime's thread met " + e.getClass().getName());
                }
            }
        } catch (InterruptedException end) {
            // Somebody wants this thread gone.
        } catch (Throwable t) {
            Notices.failure("the runtime's thread ended; measurements go on at exit and on request", t);
        }
    }

    private void turn() throws InterruptedException {
        boolean cleared = CollectionClock.await(waitMs());
        long now = System.nanoTime();
        Registry.lock();
        try {
            collected |= CollectionClock.tick(cleared) | cleared;
            if (collected && now - nextSweep >= 0) {
                collected = false;
                Registry.sweep(true);
                long end = System.nanoTime();
                nextSweep = end + Math.max(SWEEP_PAUSE_NS, (end - now) * SWEEP_SHARE);
            }
        } finally {
            Registry.unlock();
        }
        session.writeLinks();
        session.watchPeak();
        RuntimeBean.register(session);
        interval(now);
    }

    private long waitMs() {
        long wait = session.options().peak == null ? WAKE_MS : PeakWatch.LOOK_MS;
        long now = System.nanoTime();
        if (intervalMs > 0) {
            wait = Math.min(wait, (nextMeasure - now) / 1_000_000);
        }
        if (collected) {
            wait = Math.min(wait, (nextSweep - now) / 1_000_000);
        }
        return wait;
    }

    private void interval(long now) {
        Options options = session.options();
        if (options.intervalMs != intervalMs) {
            intervalMs = options.intervalMs;
            nextMeasure = now + intervalMs * 1_000_000;
        }
        if (intervalMs == 0 || now - nextMeasure < 0) {
            return;
        }
        long start = System.nanoTime();
        session.measure("interval", null, 0);
        long took = System.nanoTime() - start;
        nextMeasure = start + Math.max(intervalMs * 1_000_000, took * 100 / options.cpuPercent);
    }
}
