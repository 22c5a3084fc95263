package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.record.ComponentNodes;
import io.weighbridge.runtime.record.HeapDump;
import io.weighbridge.runtime.record.Occasion;
import io.weighbridge.runtime.record.Recording;
import io.weighbridge.runtime.record.RecordingFile;
import io.weighbridge.runtime.registry.Adoption;
import io.weighbridge.runtime.registry.Registry;
import io.weighbridge.runtime.shortage.Policy;
import io.weighbridge.runtime.shortage.Shortage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What runs in this JVM once the runtime has started: its options, measurements and end. */
public final class Session {
    private static final long PATIENCE_MS = 1000;
    final Registry registry = new Registry();
    final Recording recording = new Recording();
    final OptionsInForce options;
    final Measurements measurements;
    final Ending ending;
    /** Those that are not over. */
    final List<Run> runs = new CopyOnWriteArrayList<>();
    final TraceRuns traces;
    /** Null unless memory shortages are watched. */
    private volatile Shortage shortage;
    /** The policy that has ended with the agent; null for none. */
    private volatile Policy ended;
    /** Null if the runtime is off. */
    private final ExitHook hook;
    /** What the runtime's thread does. Kept for {@code OwnWeight}, which does not look into threads. */
    private Runnable ticker;
    private final List<String> leftOut = new CopyOnWriteArrayList<>();
    /** The runtime's own; null before it starts and after it was told to end. */
    private volatile Thread thread;

    /** {@code statics}: see {@link Statics}. */
    Session(Options first, List<Class<?>> statics) {
        options = new OptionsInForce(first, recording);
        measurements = new Measurements(registry, options, recording, statics);
        traces = new TraceRuns(measurements);
        ending = new Ending(measurements, traces);
        hook = first.enabled ? new ExitHook(ending, this::stopRuns) : null;
    }

    /** Starts the thread, with nothing of the current thread's but its stack, and installs the exit hook. */
    void start(Runnable work) {
        registry.clock.start();
        ticker = work;
        Thread own = new Thread(null, work, "weighbridge", 0, false);
        own.setDaemon(true);
        own.setPriority(Thread.MIN_PRIORITY);
        own.setContextClassLoader(ClassLoader.getSystemClassLoader());
        thread = own;
        own.start();
        hook.install();
    }

    /**
     * Ends the runtime for good: the recording gets its footer, the thread ends, references and counters are dropped,
     * and the probes do nothing from now on. A measurement that is running gives up; one that does not is waited for a
     * second. With a heap that is full each step may fail, and the next ones still run: what they drop is what others need.
     */
    public void disable() {
        ending.disabled = true;
        Stripes.enable(false);
        boolean isClosed = closes();
        try {
            watchShortage(null);
        } catch (Throwable full) {
            // Its thread ends with the session's state.
        }
        try {
            stopThread();
        } catch (Throwable full) {
            // It sees within a second that it is switched off.
        }
        try {
            abandon();
        } catch (Throwable full) {
            // What is left goes with the runtime's class loader.
        }
        if (!isClosed) {
            closes();
        }
    }

    /** Ends the runtime as {@link #disable} does, after a last measurement. */
    void end(String reason) {
        try {
            stopRuns(reason);
            ending.finish(reason, ExitHook.WALK_NANOS);
        } catch (Throwable t) {
            // The recording ends with what it has.
            Notices.failure("the last measurement failed", t);
        }
        disable();
    }

    /** Closes the recording; false if there is no memory for it. */
    private boolean closes() {
        try {
            ending.disable();
            return true;
        } catch (Throwable full) {
            return false;
        }
    }

    /** Lets the thread end and the probes do nothing, whatever of the end has failed. Allocates nothing. */
    public void halt() {
        ending.disabled = true;
        Stripes.enable(false);
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }

    private void abandon() {
        if (hook != null) {
            hook.remove();
        }
        registry.abandon();
        measurements.abandon();
        ComponentNodes.abandon();
    }

    /** A jar or class was linked. */
    void linked(LinkTable table) {
        recording.linked(table);
        for (Run run : runs) {
            run.linked(table);
        }
    }

    /** The agent goes: nothing is traced any more. */
    public void endTraces(String reason) {
        traces.endAll(reason);
    }

    /** Ends all runs. */
    void stopRuns(String reason) {
        for (Run run : runs) {
            if (runs.remove(run)) {
                run.stop(reason);
            }
        }
    }

    private void stopThread() {
        Thread running = thread;
        thread = null;
        if (running == null || running == Thread.currentThread()) {
            return;
        }
        running.interrupt();
        try {
            running.join(PATIENCE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The control on memory shortage; null unless it is asked for. */
    public Shortage shortage() {
        return shortage;
    }

    /** What the probes of named methods call: at a method's entry, at its end, and when it may run again. */
    public Object workProbes() {
        return new WorkProbes(this::shortage);
    }

    /** Watches for memory shortages if the options ask for it. */
    public void watchShortage() {
        Policy asked = options.get().shortage;
        watchShortage(asked == ended ? null : asked);
    }

    /** Nothing is cancelled any more, until the options change. */
    public synchronized void endShortage() {
        // The ticking thread may have to see the last change of the options yet.
        ended = options.get().shortage;
        watchShortage(null);
    }

    /** From now on this policy counts; null for none. */
    private synchronized void watchShortage(Policy policy) {
        Shortage now = shortage;
        if (policy != null && !policy.onlyByAgent.isEmpty() && !NativeAgent.isPresent()) {
            Notices.warn("without the native agent these options do nothing: " + policy.onlyByAgent);
        }
        if (policy == null || !isOn()) {
            shortage = null;
            measurements.shortage = null;
            if (now != null) {
                now.end();
            }
        } else if (now != null) {
            now.use(policy);
        } else {
            Shortage begun = new Shortage(policy, new ShortageLines(measurements));
            begun.start();
            shortage = begun;
            measurements.shortage = begun;
        }
    }

    /** Takes in what existed before the native agent came, if the program need not wait for too long. */
    public void adopt() throws InterruptedException {
        String why = Adoption.ofObjectsBefore(registry);
        if (why != null) {
            leftOut.add(why);
            leaveBeforeOut(why);
        }
    }

    /** Classes that were loaded before the native agent came have no probes. */
    public void leaveClassesOut(long classes, long neededNs) {
        String why = PauseBudget.leftOut(classes + " loaded classes got no probes", "change the next ones", neededNs);
        leftOut.add(why);
        Notices.note(why);
    }

    /** What could not be counted when measuring began, in sentences. */
    List<String> leftOut() {
        return leftOut;
    }

    /** Leaves out what existed before the native agent came, of all classes that it has told of; {@code why}: for the recording. */
    public void leaveBeforeOut(String why) {
        ClassTable.takeLoaded();
        if (!measurements.lock()) {
            return;
        }
        try {
            for (LinkTable table : recording.tables()) {
                for (int i = 0; table.loader != null && i < table.classes.size(); i++) {
                    ClassTable.entry(table.base + i).leaveBeforeOut();
                }
            }
        } finally {
            measurements.unlock();
        }
        Notices.note(why);
    }

    /** See {@code Weighbridge.measure}. The program itself asks, so it grants what its request takes. */
    public boolean measure(String label) {
        return options.get().enabled && measurements.measure(new Occasion("request", label, Long.MAX_VALUE));
    }

    /** It runs; {@code ns}: how long that took. */
    void started(long ns) {
        measurements.cost.startNs = ns;
    }

    /** Measurements so far. */
    public int snapshots() {
        return measurements.cost.snapshots;
    }

    /** False if the runtime is off or was switched off: nobody will ask for what the program says of itself. */
    public boolean isOn() {
        return options.get().enabled && !ending.disabled;
    }

    /** See {@code Weighbridge.dumpHeap}: the program itself asks for this stop. */
    public boolean dumpHeap(String file) throws InterruptedException {
        if (file == null || !isOn()) {
            return false;
        }
        String refused;
        try {
            Path path = Path.of(RecordingFile.expand(file)).toAbsolutePath();
            refused = Files.exists(path) ? path + " exists" : HeapDump.write(path, Long.MAX_VALUE);
        } catch (IOException | RuntimeException | LinkageError e) {
            refused = e.toString();
        }
        if (refused != null) {
            Notices.note("no heap dump on request: " + refused);
        }
        return refused == null;
    }
}
