package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.record.ComponentNodes;
import io.weighbridge.runtime.record.HeapDump;
import io.weighbridge.runtime.record.RecordingFile;
import io.weighbridge.runtime.registry.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The runtime's life in this JVM: started once, by the agent or the first rewritten jar, whichever comes first; ended with
 * the JVM, or by request before.
 *
 * <p>Starting and linking take only the start lock, for as long as it takes to read options, so they may be called
 * with any lock held. What is on that way has no lambda: the first one of a program costs some milliseconds.
 */
public final class Life {
    private static final Object START = new Object();
    /** The one there is: bridges, the agent and the program come in by static methods. */
    private static volatile Life current;

    private final Session session;
    private final Ticker ticker;
    /** Null if the runtime is off. */
    private final ExitHook hook;

    private Life(Session session) {
        this.session = session;
        ticker = new Ticker(session, new Runnable() {
            @Override
            public void run() {
                disable();
            }
        });
        hook = session.options().enabled ? new ExitHook(session.ending) : null;
    }

    /** The agent's start. A runtime that a jar has started already keeps going, with the agent's options on top. */
    public static void start(String agentArgument) {
        synchronized (START) {
            Life life = current;
            if (life == null) {
                begin(Options.of(agentArgument));
            } else if (agentArgument != null && !agentArgument.isEmpty()) {
                life.session.options.addAgent(agentArgument);
            }
        }
    }

    /** True if this jar's probes shall count: starts the runtime if need be, and takes the options baked into the jar. */
    public static boolean admit(LinkTable table) {
        synchronized (START) {
            Life life = current;
            if (life == null) {
                Options options = Options.of(null).with(table.options);
                if (!options.enabled) {
                    return false;
                }
                life = begin(options);
                life.session.options.addJar(table, true);
            } else {
                life.session.options.addJar(table, false);
            }
            return life.session.options().enabled && !life.session.isDisabled();
        }
    }

    /** A jar that was admitted has met the runtime. */
    public static void linked(LinkTable table) {
        current.session.measurements.recording.linked(table);
    }

    /** Null before anything started it, or if it was not started because the options say so. */
    public static Life current() {
        return current;
    }

    /** The runtime, started if it was not. */
    public static Life startedByRequest() {
        start(null);
        return current;
    }

    private static Life begin(Options options) {
        Life life = new Life(new Session(options, new Statics(Life.class)));
        Notices.ready();
        current = life;
        if (options.enabled) {
            life.session.registry.clock.start();
            life.ticker.start();
            life.hook.install();
        }
        return life;
    }

    /**
     * Ends the runtime for good: the recording gets its footer, the thread ends, references and counters are dropped,
     * and the probes do nothing from now on. A measurement that is running gives up.
     */
    public void disable() {
        session.ending.disable();
        Stripes.enable(false);
        ticker.stop();
        if (hook != null) {
            hook.remove();
        }
        session.registry.abandon();
        ComponentNodes.abandon();
    }

    /** The sweep of this JVM; null before anything started it. */
    public static Registry registry() {
        Life life = current;
        return life == null ? null : life.session.registry;
    }

    /** See {@code Weighbridge.measure}. */
    public boolean measure(String label) {
        return session.options().enabled && session.measurements.measure("request", label, 0);
    }

    /** Measurements so far. */
    public int snapshots() {
        return session.cost().snapshots;
    }

    /** False if the runtime is off or was switched off: nobody will ask for what the program says of itself. */
    public boolean isOn() {
        return session.options().enabled && !session.isDisabled();
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
