package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.HeapUse;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.registry.Registry;
import io.weighbridge.runtime.shortage.Policy;
import java.util.concurrent.locks.LockSupport;

/**
 * The runtime's one thread: a daemon of low priority that sweeps after collections, writes what was linked, and
 * measures at intervals.
 *
 * <p>It wakes up after each collection and at least once a second. Sweeps are at least 100 ms apart and take at most
 * 2 % of the time; interval measurements take at most {@code cpu_percent} of it.
 */
final class Ticker implements Runnable {
    private static final long WAKE_MS = 1000;
    /** A concurrent collector clears references some time before its bean counts the collection. */
    private static final long BEANS_MS = 20;
    private static final long SWEEP_PAUSE_NS = 100_000_000;
    private static final int SWEEP_SHARE = 50;
    /** Bytes free in the heap, or this part of the largest one: room for what is done for the first time. */
    private static final long ROOM = 4 << 20;
    private static final int ROOM_PART = 8;

    private final Session session;
    private final Measurements measurements;
    private final Registry registry;
    private final Schedule schedule;
    private PeakWatch peaks;
    private PeakOptions peaksOf;
    private long nextSweep = System.nanoTime();
    /** The clock has started. */
    private boolean begun;
    private boolean managed;
    private Policy shortageOf;
    private boolean collected;
    /** Not told yet; null for none. */
    private VirtualMachineError met;

    Ticker(Session session) {
        this.session = session;
        measurements = session.measurements;
        schedule = new Schedule(measurements);
        registry = session.registry;
    }

    @Override
    public void run() {
        while (!session.ending.disabled) {
            int entered = Inside.enterForLong();
            try {
                turn();
            } catch (InterruptedException end) {
                // The runtime is switched off.
                return;
            } catch (OutOfMemoryError | StackOverflowError e) {
                rest(e);
            } catch (Throwable t) {
                ended(t);
                return;
            } finally {
                Inside.leave(entered);
            }
        }
    }

    /** A text that is used for the first time is made then (JVMS 5.1), which may itself run out of memory. */
    private static void ended(Throwable t) {
        try {
            Notices.failure("the runtime's thread ended; measurements go on at exit and on request", t);
        } catch (Throwable again) {
            // Nobody can be told.
        }
    }

    /** Some time goes by, for the program to find memory. Allocates nothing: what was met is told when there is room again. */
    private void rest(VirtualMachineError e) {
        met = e;
        try {
            // Not by sleep: to throw that it was interrupted takes memory.
            LockSupport.parkNanos(WAKE_MS * 1_000_000);
        } catch (Throwable again) {
            // Then it goes on at once.
        }
    }

    /** The clock starts before the first registrations are old: earlier collections are no object's age. */
    private void begin() {
        registry.lock();
        try {
            registry.clock.tick(false);
        } finally {
            registry.unlock();
        }
        begun = true;
    }

    private void turn() throws InterruptedException {
        if (!begun && hasRoom()) {
            begin();
        }
        boolean cleared = registry.clock.await(waitMs());
        if (!begun) {
            return;
        }
        if (met != null && hasRoom()) {
            Notices.note("the runtime's thread met " + met.getClass().getName());
            met = null;
        }
        long now = System.nanoTime();
        registry.lock();
        try {
            int markings = registry.clock.markings.count();
            collected = registry.clock.tick(cleared);
            // What lived at a marking is counted before the next collections.
            boolean isDue = now - nextSweep >= 0 || registry.clock.markings.count() != markings;
            if (collected && isDue && !registry.clock.isCollecting()) {
                collected = false;
                registry.sweep(true);
                long end = System.nanoTime();
                nextSweep = end + Math.max(SWEEP_PAUSE_NS, (end - now) * SWEEP_SHARE);
            }
        } finally {
            registry.unlock();
        }
        if (session.snapshots() == 0 && !hasRoom()) {
            return;
        }
        ClassTable.takeLoaded();
        measurements.writeLinks();
        lookForPeak();
        bean();
        watchShortage();
        schedule.interval(now, cleared);
        for (Run run : session.runs) {
            run.schedule.interval(now, cleared);
        }
    }

    /**
     * Whether something may be done for the first time. A JDK class whose initializer meets the end of the heap can never
     * be used again, by the program neither (JVMS 5.5). So nothing here may start one while the program is about to run
     * out of memory. Garbage does not count as free. A program that fills its heap within milliseconds is not seen in time.
     */
    private static boolean hasRoom() {
        return HeapUse.left() >= Math.min(ROOM, Runtime.getRuntime().maxMemory() / ROOM_PART);
    }

    /** Looks at the bytes allocated and counts live ones if there may be a new peak. */
    private void lookForPeak() {
        Options now = session.options.get();
        if (now.peak != peaksOf) {
            peaksOf = now.peak;
            peaks = PeakWatch.of(registry.clock, now);
        }
        if (peaks == null || !peaks.mustCount() || !measurements.tryLock()) {
            return;
        }
        long start = System.nanoTime();
        long cpu = Management.threadCpuNs();
        try {
            if (!session.recording.isClosed() && !measurements.isEnding()) {
                peaks.count(measurements, now.cpuPercent);
            }
        } catch (RuntimeException e) {
            peaks = null;
            Notices.note("peaks are no longer watched: " + e);
        } finally {
            measurements.done(start, cpu);
            measurements.unlock();
        }
    }

    /** Here, because it makes a thread: a jar may be linked with any lock held. */
    private void watchShortage() {
        Policy now = session.options.get().shortage;
        if (now != shortageOf) {
            shortageOf = now;
            session.watchShortage();
        }
    }

    /** Registers the managed bean once, if the options ask for it: here, because it loads the management classes. */
    private void bean() {
        if (managed || !session.options.get().jmx) {
            return;
        }
        managed = true;
        try {
            RuntimeBean.register(session);
        } catch (LinkageError absent) {
            Notices.failure("the managed bean could not be registered", absent);
        }
    }

    private long waitMs() {
        long now = System.nanoTime();
        long wait = schedule.waitMs(now, session.options.get().peak == null ? WAKE_MS : PeakWatch.LOOK_MS);
        for (Run run : session.runs) {
            wait = run.schedule.waitMs(now, wait);
        }
        if (registry.clock.isAhead()) {
            wait = Math.min(wait, BEANS_MS);
        }
        return collected ? Math.min(wait, (nextSweep - now) / 1_000_000) : wait;
    }
}
