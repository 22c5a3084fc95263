package io.weighbridge.runtime.control;

import io.weighbridge.runtime.events.EventLog;
import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.record.Cost;
import io.weighbridge.runtime.record.Json;
import io.weighbridge.runtime.record.Occasion;
import io.weighbridge.runtime.record.Recording;
import io.weighbridge.runtime.record.SitesLine;
import io.weighbridge.runtime.record.SnapshotLine;
import io.weighbridge.runtime.record.Stretch;
import io.weighbridge.runtime.registry.Adoption;
import io.weighbridge.runtime.registry.Registry;
import io.weighbridge.runtime.shortage.Shortage;
import io.weighbridge.runtime.walk.ClassPatterns;
import io.weighbridge.runtime.walk.InstanceBytes;
import io.weighbridge.runtime.walk.Measurement;
import io.weighbridge.runtime.walk.Shapes;
import io.weighbridge.runtime.walk.WalkLimits;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Takes measurements, one at a time, and writes them into the recording.
 *
 * <p>The program's threads take the lock only when they ask for a measurement, and stop waiting for it after
 * {@link #PATIENCE_SECONDS}. Methods are called with the lock held unless their comment says otherwise.
 */
final class Measurements {
    private static final long PATIENCE_SECONDS = 30;
    /** Why a walk stops when {@link #end} was called. */
    private static final String ENDS = "the JVM ends";
    final OptionsInForce options;
    final Recording recording;
    final Registry registry;
    final Cost cost;
    final ForcedCollection collection;
    private final DumpReading dumps;
    private final List<Class<?>> statics;
    private final Predicate<ClassEntry> filter;
    private final ReentrantLock measuring = new ReentrantLock();
    private final InstanceBytes instances = new InstanceBytes();
    private Shapes shapes;
    /** What {@link Inside#enter} gave to the thread with the lock. */
    private int entered;
    private volatile WalkLimits limits;
    /** What later snapshots say of the interval; null unless it is stretched. Set by the runtime's thread, without the lock. */
    volatile Stretch stretch;
    /** Takes own bytes by tags after each measurement, and has lines for the recording; null if nobody watches for shortages. */
    volatile Shortage shortage;
    /** What was measured with the lock held is not forgotten yet. */
    private boolean holds;
    private volatile long dumpedNs;
    /** The recording says that something was left out. */
    private boolean leftOutTold;
    /** The last measurement waits for the lock or has it; others give up. */
    private volatile boolean ending;

    /** {@code statics}: for the weight of the runtime itself. */
    Measurements(Registry registry, OptionsInForce options, Recording recording, List<Class<?>> statics) {
        this(registry, options, recording, statics, any -> true);
    }

    /** The same for a run, of some classes. */
    Measurements ofRun(OptionsInForce own, Recording file, Predicate<ClassEntry> wanted) {
        return new Measurements(registry, own, file, statics, wanted);
    }

    private Measurements(Registry registry, OptionsInForce options, Recording recording, List<Class<?>> statics,
            Predicate<ClassEntry> filter) {
        this.filter = filter;
        this.registry = registry;
        this.options = options;
        cost = new Cost(registry);
        this.statics = statics;
        this.recording = recording;
        collection = new ForcedCollection(options, cost, registry);
        dumps = new DumpReading(options, cost, registry);
    }

    /**
     * Measures and appends a snapshot; returns when it is in the file. False if the JVM is ending, another
     * measurement does not end in time, or there is no file to write to. For any thread, without the lock.
     */
    boolean measure(String reason, String label) {
        return measure(new Occasion(reason, label));
    }

    /** The same with a grant of its own for stops; the occasion says then what is missing. */
    boolean measure(Occasion occasion) {
        if (!options.get().records || !lock()) {
            return false;
        }
        try {
            return !ending && snapshot(occasion, 0, null);
        } finally {
            unlock();
        }
    }

    /** Writes new jars and notes. Does not wait for a measurement to end. */
    void writeLinks() {
        if (!options.get().records || !recording.hasNews() || !tryLock()) {
            return;
        }
        try {
            if (!recording.isClosed()) {
                recording.append(new StringBuilder());
            }
        } finally {
            unlock();
        }
    }

    /** Waits for the lock, as long as its patience lasts. */
    boolean lock() {
        try {
            return entered(measuring.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    boolean tryLock() {
        return entered(measuring.tryLock());
    }

    void unlock() {
        int mark = entered;
        if (holds) {
            holds = false;
            registry.release();
        }
        measuring.unlock();
        Inside.leave(mark);
    }

    private boolean entered(boolean locked) {
        if (locked) {
            entered = Inside.enterForLong();
        }
        return locked;
    }

    /** Interrupts a measurement that is running; from now on only the last one runs. For any thread, without the lock. */
    void end() {
        ending = true;
        WalkLimits running = limits;
        if (running != null) {
            running.stop(ENDS);
        }
    }

    boolean isEnding() {
        return ending;
    }

    /** Takes and writes a snapshot; {@code last}: null unless it is the last one. False if it was not written here. */
    boolean snapshot(Occasion occasion, long walkNanos, LastMeasurement last) {
        long start = System.nanoTime();
        long cpu = Management.threadCpuNs();
        try {
            if (ClassTable.size() > 0) {
                if (!dumps.before(occasion) && !occasion.isInterval()) {
                    collection.before(occasion);
                    adoptUnannounced(occasion);
                }
                if (!occasion.leftOut.isEmpty()) {
                    tellLeftOut(occasion.leftOut.get(0));
                }
            }
            if (last != null) {
                last.occasion = occasion;
            }
            long clock = EventLog.clock();
            Measurement m = take(walkNanos, last);
            if (isInterrupted(occasion, m) || last != null && !last.claim()) {
                return false;
            }
            StringBuilder lines = new StringBuilder();
            write(lines, occasion, m);
            recording.append(lines);
            EventLog.mark(clock, "snapshot " + cost.snapshots);
            return true;
        } catch (OutOfMemoryError e) {
            Notices.note("a measurement was given up: the heap was full");
            return false;
        } finally {
            done(start, cpu);
        }
    }

    /**
     * Nobody waits for a measurement at an interval. One that the end has cut off has less to tell than the one before it and the
     * last one, between which it would be the only one without sizes.
     */
    private static boolean isInterrupted(Occasion occasion, Measurement m) {
        return occasion.isInterval() && ENDS.equals(m.stopped);
    }

    /**
     * With the native agent: objects that were made without a constructor are counted, too. After a full collection, for a
     * dead object may lie in the heap when its reference is cleared already.
     */
    private void adoptUnannounced(Occasion occasion) {
        if (occasion.collected && NativeAgent.isPresent()) {
            try {
                occasion.leaveOut(Adoption.ofUnannounced(registry, collection.census, occasion.grantedNs));
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** For the recording, once: each would say another time. */
    void tellLeftOut(String sentence) {
        if (!leftOutTold) {
            leftOutTold = Notices.note(sentence);
        }
    }

    /** A measurement that began then has ended. */
    void done(long startNs, long startCpuNs) {
        limits = null;
        dumps.delete();
        long stopped = dumps.takeStoppedNs();
        long read = dumps.takeReadNs();
        dumpedNs = stopped + read;
        long cpu = startCpuNs < 0 ? -1 : Management.threadCpuNs() - startCpuNs;
        cost.measured(System.nanoTime() - startNs, cpu, stopped, read);
    }

    /** How long a heap dump and its reader took for the last measurement: the CPU time of this JVM's threads has none of it. */
    long dumpedNs() {
        return dumpedNs;
    }

    /** Measures; {@code walkNanos} as in {@link WalkLimits}, {@code last} as in {@link #snapshot}. */
    Measurement take(long walkNanos, LastMeasurement last) {
        return take(walkNanos, last, true);
    }

    /** {@code onlyMarked}: not what came after the last full marking, which is neither known to live. */
    Measurement take(long walkNanos, LastMeasurement last, boolean onlyMarked) {
        WalkLimits own = new WalkLimits(walkNanos, options.get().walkMemory);
        limits = own;
        if (ending && last == null) {
            own.stop(ENDS);
        }
        if (!holds) {
            registry.hold();
            holds = true;
        }
        Measurement m = Measurement.count(registry, options.get().ages, collection.take(), instances, statics, filter,
                onlyMarked, dumps.isThere());
        if (last != null) {
            last.counted = m;
        }
        if (!dumps.fill(m, shapes(), walkNanos)) {
            m.reach(shapes(), own, options.get().holders);
        }
        Shortage asks = shortage;
        if (asks != null && m.own != null) {
            asks.measured(m.own.tags);
        }
        return m;
    }

    /** Writes a measurement as a snapshot, and where the objects were constructed if that is known. */
    void write(StringBuilder lines, Occasion occasion, Measurement m) {
        Json json = new Json(lines);
        writeSnapshot(json, occasion, m);
        if (!occasion.isInterval()) {
            SitesLine.write(json, cost.snapshots, m, shapes());
        }
    }

    /** Writes a measurement as a snapshot. */
    void writeSnapshot(Json json, Occasion occasion, Measurement m) {
        occasion.stretch = stretch;
        SnapshotLine.write(json, ++cost.snapshots, occasion, recording, m, options.get().ages);
    }

    /** Forgets what is remembered of classes. */
    void abandon() {
        if (shapes != null) {
            shapes.removeAll();
        }
    }

    private Shapes shapes() {
        if (shapes == null || shapes.epoch != ClassTable.epoch()) {
            abandon();
            Options now = options.get();
            shapes = new Shapes(ObjectSizes.get(), FieldAccess.get(), new ClassPatterns(now.exclude), now.soft,
                    new ClassPatterns(now.hubs));
        }
        return shapes;
    }
}
