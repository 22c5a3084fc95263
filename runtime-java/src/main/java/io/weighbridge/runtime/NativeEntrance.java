package io.weighbridge.runtime;

import io.weighbridge.runtime.control.Life;
import io.weighbridge.runtime.control.Requests;
import io.weighbridge.runtime.control.Session;
import io.weighbridge.runtime.events.EventLog;
import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.CountOthersProbe;
import io.weighbridge.runtime.probe.CountProbe;
import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.probe.LiveOthersProbe;
import io.weighbridge.runtime.probe.LiveProbe;
import io.weighbridge.runtime.probe.NearestClass;
import io.weighbridge.runtime.trace.Traces;

/**
 * The entrance for the native agent, which calls it by JNI (docs/probe-contract.md, "Classes at load"). Nothing here throws.
 *
 * <p>The agent has defined this copy of the runtime in a loader of its own, unless the class path has one, which then serves
 * rewritten jars and the agent alike.
 */
public final class NativeEntrance {
    private NativeEntrance() {
    }

    /** Why an attach is refused: what is wrong with its options, in a sentence. Null if nothing is. */
    static String refusal(String options) {
        try {
            return Life.refusal(options);
        } catch (Throwable t) {
            return t.toString();
        }
    }

    /**
     * Starts the runtime, if nobody has.
     *
     * @param options the agent's, {@code key=value,...}
     * @param text a table without classes
     * @return what the bridge's fields {@code LIVE}, {@code LIVE_OTHERS}, {@code COUNT}, {@code COUNT_OTHERS}, {@code ENTER},
     *         {@code LEAVE}, {@code CHECKPOINT} and {@code AGAIN} get; null if the
     *         runtime is switched off or keeps another contract
     */
    static Object[] start(String options, String text) {
        // Before the runtime's thread starts, which asks for it.
        NativeAgent.set(true);
        Object[] receivers = null;
        try {
            receivers = started(options, text);
        } catch (Throwable t) {
            Notices.failure("the agent could not start the runtime", t);
        }
        NativeAgent.set(receivers != null);
        return receivers;
    }

    private static Object[] started(String options, String text) {
        // Initialises what a probe uses: in a probe its objects would be counted, if their classes have probes.
        Inside.leave(Inside.enterForLong());
        LinkTable table = LinkTable.parse(text);
        if (table.contract != LinkTable.CONTRACT) {
            Notices.warn("the runtime on the class path is of another version than the agent");
            return null;
        }
        Life.start(options);
        if (!Life.admit(table)) {
            return null;
        }
        ClassTable.tell(Life::linked);
        if (ClassTable.add(table, null)) {
            Life.linked(table);
        }
        NearestClass.forget();
        ClassTable.takeLoaded();
        Session session = Life.current();
        session.watchShortage();
        Object work = session.workProbes();
        return new Object[] {LiveProbe.INSTANCE, LiveOthersProbe.INSTANCE, CountProbe.INSTANCE, CountOthersProbe.INSTANCE,
            work, work, null, work};
    }

    /** Takes in the objects that existed before, or leaves them out. All classes that were loaded have their probes. */
    static void existing(boolean takeIn) {
        int entered = Inside.enter();
        try {
            if (takeIn) {
                Life.current().adopt();
            } else {
                Life.current().leaveBeforeOut();
            }
        } catch (Throwable t) {
            Notices.failure("objects that existed before are not known", t);
        } finally {
            Inside.leave(entered);
        }
    }

    /** Answers requests of the control channel from now on. */
    static void serve() {
        try {
            Requests.serve(Life.current());
        } catch (Throwable t) {
            Notices.failure("requests cannot be answered", t);
        }
    }

    /** Begins a trace of every event: what the class of its probes gets; null if that is not possible. */
    static Object[] events(String file) {
        try {
            return EventLog.begin(file);
        } catch (Throwable t) {
            Notices.failure("no trace of every event is written", t);
            return null;
        }
    }

    /** Ends it. Its probes are silent. */
    static void endEvents() {
        try {
            EventLog.end();
        } catch (Throwable t) {
            Notices.failure("the trace of every event did not end in order", t);
        }
    }

    /** The agent goes. A runtime that the class path has goes on, for the jars that were rewritten, but cancels nothing any more. */
    static void end() {
        try {
            Session session = Life.current();
            // None if the start was refused.
            if (session != null) {
                session.endTraces("detach");
            }
            Traces.removeAll();
            ClassTable.takeLoaded();
            if (NativeEntrance.class.getClassLoader() != ClassLoader.getSystemClassLoader()) {
                Life.end("detach");
            } else {
                Life.current().endShortage();
            }
            NativeAgent.set(false);
        } catch (Throwable t) {
            Notices.failure("the runtime did not end in order", t);
        }
    }
}
