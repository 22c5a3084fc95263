package io.weighbridge.runtime;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The runtime's life in this JVM: started once, by the agent or the first rewritten jar, whichever comes first;
 * measures when asked; ends with the JVM.
 *
 * <p>Starting and linking take only the start lock, for as long as it takes to read options, so they may be called
 * with any lock held. Measuring takes its own lock, which the program's threads meet only when they ask for a
 * measurement themselves, and give up waiting for after a time.
 */
final class Session {
    private static final Object START = new Object();
    private static volatile Session current;

    private final long startedNs = System.nanoTime();
    private volatile Options options;
    private boolean baked;
    private final Queue<ClassTable.Linked> unwritten = new ConcurrentLinkedQueue<>();

    /** Held while measuring and writing; everything below belongs to its holder, but what is volatile. */
    private final ReentrantLock measuring = new ReentrantLock();
    private static final long PATIENCE_SECONDS = 30;
    private final Cost cost = new Cost();
    private RecordingFile file;
    private boolean headed;
    private boolean ended;
    private Shapes shapes;
    /** For the next measurement, or null. */
    private Census census;
    /** Both belong to the runtime's thread. */
    private PeakWatch peaks;
    private PeakOptions peaksOf;
    private volatile WalkLimits limits;
    /** How measurements at an interval are put off; null if they are not. */
    private volatile Spacing.Stretch stretch;
    /** The last measurement before its walk, and who has written it. */
    private volatile Measurement counted;
    private volatile SnapshotLine.Occasion lastOccasion;
    private final AtomicReference<Thread> lastWriter = new AtomicReference<>();
    /** The last measurement waits for the lock, or has it: others give up. */
    private volatile boolean ending;
    /** Switched off for good. */
    private volatile boolean disabled;

    private Session(Options options) {
        this.options = options;
    }

    /** The agent's start. A runtime that a jar has started already keeps going, with the agent's options on top. */
    static void start(String agentArgument) {
        synchronized (START) {
            Session session = current;
            if (session == null) {
                begin(Options.of(agentArgument));
            } else if (agentArgument != null && !agentArgument.isEmpty()) {
                session.use(session.options.withAgent(agentArgument));
            }
        }
    }

    /** True if this jar's probes shall count: starts the runtime if need be, and takes the options baked into the jar. */
    static boolean admit(LinkTable table) {
        synchronized (START) {
            Session session = current;
            if (session == null) {
                Options options = Options.of(null).with(table.options);
                if (!options.enabled) {
                    return false;
                }
                session = begin(options);
                session.baked = true;
            } else if (!session.baked) {
                session.baked = true;
                session.use(session.options.with(table.options));
            } else if (!session.options.bakedEquals(table.options)) {
                Notices.note("the options baked into " + table.jar + " differ from those of the first jar, which count");
            }
            return session.options.enabled && !session.disabled;
        }
    }

    static void linked(ClassTable.Linked linked) {
        current.unwritten.add(linked);
    }

    /** Null before anything started it, or if it is disabled. */
    static Session current() {
        return current;
    }

    /** The runtime, started if it was not. */
    static Session startedByRequest() {
        start(null);
        return current;
    }

    /**
     * Ends the runtime for good: the recording gets its footer, the thread ends, references and counters are dropped,
     * and the probes do nothing from now on. A measurement that is running gives up.
     */
    void disable() {
        disabled = true;
        finish("disabled", 0);
        Stripes.enable(false);
        Ticker.stop();
        ExitHook.remove();
        Registry.abandon();
        ComponentNodes.abandon();
    }

    boolean isDisabled() {
        return disabled;
    }

    private static Session begin(Options options) {
        Session session = new Session(options);
        session.use(options);
        Notices.ready();
        current = session;
        if (options.enabled) {
            CollectionClock.start();
            Ticker.start(session);
            ExitHook.install(session);
        }
        return session;
    }

    private void use(Options resolved) {
        options = resolved;
        Budget.set(resolved.references);
        AllocationSites.keep(resolved.enabled ? resolved.sites : 0);
        ThreadNames.set(resolved.threads);
    }

    Options options() {
        return options;
    }

    /** What the runtime has cost so far. */
    Cost cost() {
        return cost;
    }

    /** Where the recording is or will be written; null if there is none. */
    String recording() {
        return options.writeFile ? recordingFile().path().toString() : null;
    }

    /**
     * Measures and appends a snapshot; returns when it is in the file. False if the JVM is ending, another
     * measurement does not end in time, or there is no file to write to.
     */
    boolean measure(String reason, String label, long walkNanos) {
        if (!options.writeFile || !lock()) {
            return false;
        }
        try {
            return !ending && snapshot(new SnapshotLine.Occasion(reason, label), walkNanos, false);
        } finally {
            measuring.unlock();
        }
    }

    /** What the snapshots to come say of the interval. */
    void stretch(Spacing.Stretch now) {
        stretch = now;
    }

    /** Writes what is known of jars and notes since the last time, without waiting for a measurement to end. */
    void writeLinks() {
        if (!options.writeFile || unwritten.isEmpty() || !measuring.tryLock()) {
            return;
        }
        try {
            if (!ended) {
                append(new StringBuilder());
            }
        } finally {
            measuring.unlock();
        }
    }

    /** Looks at the bytes allocated and counts live ones if there may be a new peak. For the runtime's thread. */
    void watchPeak() {
        Options now = options;
        if (now.peak != peaksOf) {
            peaksOf = now.peak;
            peaks = PeakWatch.of(now);
        }
        if (peaks == null || !peaks.due() || !measuring.tryLock()) {
            return;
        }
        long start = System.nanoTime();
        long cpu = Cost.threadCpuNs();
        try {
            if (!ended && !ending) {
                peaks.count(this, now.cpuPercent);
            }
        } catch (Exception e) {
            peaks = null;
            Notices.note("peaks are no longer watched: " + e);
        } finally {
            limits = null;
            cost.measured(System.nanoTime() - start, cpu < 0 ? -1 : Cost.threadCpuNs() - cpu);
            measuring.unlock();
        }
    }

    /** The last snapshot and the footer. Interrupts a measurement that is running. */
    void finish(String reason, long walkNanos) {
        if (!options.enabled || !options.writeFile) {
            return;
        }
        ending = true;
        WalkLimits running = limits;
        if (running != null) {
            running.stop("the JVM ends");
        }
        if (!lock()) {
            return;
        }
        try {
            if (ended) {
                return;
            }
            if (options.dumpOnExit && !disabled) {
                snapshot(new SnapshotLine.Occasion(reason, null), walkNanos, true);
                Thread writer = lastWriter.get();
                if (writer != null && writer != Thread.currentThread()) {
                    return;
                }
            }
            if (options.dumpOnExit && !disabled || headed) {
                footer(reason);
            }
            recordingFile().close();
            ended = true;
        } finally {
            measuring.unlock();
        }
    }

    /**
     * The last walk takes too long: it may wait for a lock that the program holds while it exits. Writes what was counted
     * before it. The measuring lock is held by the thread that waits; which of the two claims the last snapshot writes it.
     */
    void finishWithoutWalk(String reason) {
        Measurement m = counted;
        SnapshotLine.Occasion occasion = lastOccasion;
        if (m == null || occasion == null || !lastWriter.compareAndSet(null, Thread.currentThread())) {
            return;
        }
        m.stopped = "no time left, perhaps for a lock that the exiting program holds";
        StringBuilder lines = new StringBuilder();
        occasion.stretch = stretch;
        SnapshotLine.write(new Json(lines), ++cost.snapshots, occasion, System.currentTimeMillis(), uptimeMs(), m, options.ages);
        append(lines);
        footer(reason);
        recordingFile().close();
        ended = true;
    }

    private void footer(String reason) {
        StringBuilder footer = new StringBuilder();
        Json json = new Json(footer).line("footer").field("at_ms", System.currentTimeMillis())
                .field("uptime_ms", uptimeMs()).field("reason", reason);
        cost.write(json, recordingFile().bytes());
        append(footer);
    }

    /** Forgets all counts and references. */
    void reset() {
        Registry.reset();
        Notices.note("counts and references were reset");
    }

    private boolean lock() {
        try {
            return measuring.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean snapshot(SnapshotLine.Occasion occasion, long walkNanos, boolean last) {
        long start = System.nanoTime();
        long cpu = Cost.threadCpuNs();
        try {
            if (!occasion.reason.equals("interval") && ClassTable.size() > 0) {
                collect(occasion);
            }
            if (last) {
                lastOccasion = occasion;
            }
            Measurement m = take(walkNanos, last);
            if (last && !lastWriter.compareAndSet(null, Thread.currentThread())) {
                return false;
            }
            StringBuilder lines = new StringBuilder();
            write(lines, occasion, m);
            append(lines);
            return true;
        } catch (OutOfMemoryError e) {
            Notices.note("a measurement was given up: the heap was full");
            return false;
        } finally {
            limits = null;
            cost.measured(System.nanoTime() - start, cpu < 0 ? -1 : Cost.threadCpuNs() - cpu);
        }
    }

    /** Asks for a full collection, if the options allow it. Under the measuring lock, like everything below. */
    void collect(SnapshotLine.Occasion occasion) {
        if (options.collect) {
            cost.forcedCollections++;
            CollectorBeans beans = CollectionClock.beans();
            long pauses = beans == null ? 0 : beans.pauseMs();
            census = collectAndCount(occasion, beans);
            cost.forcedPauseMs += beans == null ? 0 : beans.pauseMs() - pauses;
        }
    }

    /**
     * The class histogram collects before it counts, where the collector works in pauses; others are asked first. Null if
     * the JVM cannot count, or counted dead objects, or its operator does not want to wait for a full collection.
     */
    private static Census collectAndCount(SnapshotLine.Occasion occasion, CollectorBeans beans) {
        if (!VmFlags.collectsOnRequest()) {
            occasion.collected = CollectionClock.collect(1000);
            return null;
        }
        boolean inPauses = beans != null && beans.worksInPauses();
        if (!inPauses) {
            occasion.collected = CollectionClock.collect(1000);
        }
        Census counted;
        try {
            counted = Census.take();
        } catch (LinkageError noManagement) {
            counted = null;
        }
        if (inPauses) {
            occasion.collected = counted != null && counted.collected || CollectionClock.collect(1000);
        }
        return counted != null && counted.collected ? counted : null;
    }

    /** The JVM has counted all objects: the next measurement has its figures. */
    void counted(Census all) {
        census = all;
    }

    /** Measures; {@code walkNanos} as in {@link WalkLimits}. */
    Measurement take(long walkNanos) {
        return take(walkNanos, false);
    }

    private Measurement take(long walkNanos, boolean last) {
        WalkLimits own = new WalkLimits(walkNanos);
        limits = own;
        if (ending && !last) {
            own.stop("the JVM ends");
        }
        Census all = census;
        census = null;
        Measurement m = Measurement.count(options.ages, all);
        if (last) {
            counted = m;
        }
        return m.reach(shapes(), own, options.holders);
    }

    /** Writes a measurement as a snapshot; and where the objects were constructed, if that is known. */
    void write(StringBuilder lines, SnapshotLine.Occasion occasion, Measurement m) {
        Json json = new Json(lines);
        occasion.stretch = stretch;
        SnapshotLine.write(json, ++cost.snapshots, occasion, System.currentTimeMillis(), uptimeMs(), m,
                options.ages);
        if (!occasion.reason.equals("interval")) {
            SitesLine.write(json, cost.snapshots, m, shapes());
        }
    }

    private Shapes shapes() {
        if (shapes == null || shapes.epoch != ClassTable.epoch()) {
            shapes = new Shapes(ObjectSizes.get(), FieldAccess.get(), NamePattern.all(options.exclude), options.soft,
                    new Hubs(options.hubs));
        }
        return shapes;
    }

    /** Appends one member: whatever has to stand before the given lines, and them. */
    void append(StringBuilder lines) {
        StringBuilder member = new StringBuilder();
        Json json = new Json(member);
        if (!headed) {
            LifeLines.header(json, options, System.currentTimeMillis() - uptimeMs());
        }
        int links = 0;
        for (ClassTable.Linked linked : unwritten) {
            LifeLines.link(json, linked);
            links++;
        }
        List<Notices.Note> notes = Notices.unwritten();
        for (Notices.Note note : notes) {
            LifeLines.note(json, note);
        }
        recordingFile().append(member.append(lines));
        // Only now: memory may have run out on the way, and what came first must then come first the next time.
        headed = true;
        for (; links > 0; links--) {
            unwritten.remove();
        }
        Notices.written(notes.size());
    }

    private synchronized RecordingFile recordingFile() {
        if (file == null) {
            file = new RecordingFile(options.destfile);
        }
        return file;
    }

    /** Since the JVM started, as far as its management tells; since this runtime started otherwise. */
    long uptimeMs() {
        CollectorBeans beans = CollectionClock.beans();
        return beans != null ? beans.uptimeMs() : (System.nanoTime() - startedNs) / 1_000_000;
    }
}
