package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.record.ComponentNodes;
import io.weighbridge.runtime.record.HeapDump;
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
     * second.
     */
    public void disable() {
        ending.disable();
        watchShortage(null);
        Stripes.enable(false);
        stopThread();
        if (hook != null) {
            hook.remove();
        }
        registry.abandon();
        measurements.abandon();
        ComponentNodes.abandon();
    }

    /** Ends the runtime as {@link #disable} does, after a last measurement. */
    void end(String reason) {
        stopRuns(reason);
        ending.finish(reason, ExitHook.WALK_NANOS);
        disable();
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

    /** Takes in what existed before the native agent came. */
    public void adopt() throws InterruptedException {
        Adoption.ofObjectsBefore(registry);
    }

    /** Leaves out what existed before the native agent came, of all classes that it has told of. */
    public void leaveBeforeOut() {
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
        Notices.note("objects that existed before measuring began are left out: nobody looked for them");
    }

    /** See {@code Weighbridge.measure}. */
    public boolean measure(String label) {
        return options.get().enabled && measurements.measure("request", label);
    }

    /** Measurements so far. */
    public int snapshots() {
        return measurements.cost.snapshots;
    }

    /** False if the runtime is off or was switched off: nobody will ask for what the program says of itself. */
    public boolean isOn() {
        return options.get().enabled && !ending.disabled;
    }

    /** See {@code Weighbridge.dumpHeap}. */
    public boolean dumpHeap(String file) throws InterruptedException {
        if (file == null || !isOn()) {
            return false;
        }
        String refused;
        try {
            Path path = Path.of(RecordingFile.expand(file)).toAbsolutePath();
            refused = Files.exists(path) ? path + " exists" : HeapDump.write(path);
        } catch (IOException | RuntimeException | LinkageError e) {
            refused = e.toString();
        }
        if (refused != null) {
            Notices.note("no heap dump on request: " + refused);
        }
        return refused == null;
    }
}
