package io.weighbridge.runtime;

import io.weighbridge.runtime.control.Life;
import io.weighbridge.runtime.control.Requests;
import io.weighbridge.runtime.control.Session;
import io.weighbridge.runtime.events.EventLog;
import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.jvm.Reserve;
import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.ClonesProbe;
import io.weighbridge.runtime.probe.FirstUse;
import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.probe.LaterProbes;
import io.weighbridge.runtime.probe.NearestClass;
import io.weighbridge.runtime.trace.Traces;

/**
 * The entrance for the native agent, which calls it by JNI (docs/probe-contract.md, "Classes at load"). Nothing here throws.
 *
 * <p>The agent has defined this copy of the runtime in a loader of its own, unless the class path has one, which then serves
 * rewritten jars and the agent alike.
 */
public final class NativeEntrance {
    /** Found out when this class is initialised: with a full heap even a text in the code is an error when it is first used (JVMS 5.1). */
    private static final boolean IN_OWN_LOADER = NativeEntrance.class.getClassLoader() != ClassLoader.getSystemClassLoader();
    private static final String DETACH = String.valueOf("detach");

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
     * @return what the bridge's fields {@code LIVE}, {@code LIVE_OTHERS}, {@code COUNT}, {@code COUNT_OTHERS}, {@code CLONES}, {@code ENTER},
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

    private static Object[] started(String options, String text) throws ClassNotFoundException {
        // Initialises what a probe uses: in a probe its objects would be counted, if their classes have probes.
        Inside.leave(Inside.enterForLong());
        LinkTable table = LinkTable.parse(text);
        if (table.contract != LinkTable.CONTRACT) {
            Notices.warn("the runtime on the class path is of another version than the agent");
            return null;
        }
        FirstUse.prepare();
        Reserve.keep();
        Life.enteredBy(Measuring.class);
        Life.start(options);
        if (!Life.admit(table)) {
            return null;
        }
        if (IN_OWN_LOADER) {
            Measuring.serve(RuntimeCalls.INSTANCE);
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
        Object[] probes = LaterProbes.receivers(NativeAgent.firstId());
        return new Object[] {probes[0], probes[1], probes[2], probes[3], ClonesProbe.INSTANCE, work, work, null, work};
    }

    /** Takes in the objects that existed before, or leaves them out. All classes that were loaded have their probes. */
    static void existing(boolean takeIn) {
        int entered = Inside.enter();
        try {
            ClassTable.judgeCopiesAnew();
            if (takeIn) {
                Life.current().adopt();
            } else {
                Life.current().leaveBeforeOut(
                        "objects that existed before measuring began were not looked for: only a heap dump counts them");
            }
        } catch (Throwable t) {
            Notices.failure("objects that existed before are not known", t);
        } finally {
            Inside.leave(entered);
        }
    }

    /** So many loaded classes have no probes: to change the next ones stops the program for so long. */
    static void classesLeftOut(long classes, long neededNs) {
        int entered = Inside.enter();
        try {
            Life.current().leaveClassesOut(classes, neededNs);
        } catch (Throwable t) {
            Notices.failure("classes that were left out are not told", t);
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

    /** Lets some memory go that is kept for the end: an object if there was some, else null. Allocates nothing. */
    static Object freeMemory() {
        return Reserve.free() ? NativeEntrance.class : null;
    }

    /**
     * The agent goes. A runtime that the class path has goes on, for the jars that were rewritten, but cancels nothing any more.
     *
     * @param pauseMs no stop for the last measurement is meant to be longer; negative: as for all others
     */
    static void end(long pauseMs) {
        // With a full heap each allocation of the steps below would cost full collections, and seconds beside a program that tries on.
        Reserve.free();
        Session session = Life.current();
        try {
            if (IN_OWN_LOADER) {
                Measuring.serve(null);
            }
            // None if the start was refused.
            if (session != null) {
                session.endTraces(DETACH);
            }
            int entered = Inside.enter();
            try {
                // Inside: a probe in here would take the same classes once more.
                ClassTable.takeLoaded();
            } finally {
                Inside.leave(entered);
            }
        } catch (Throwable t) {
            failed(t);
        }
        try {
            Traces.removeAll();
        } catch (Throwable t) {
            failed(t);
        }
        try {
            if (IN_OWN_LOADER) {
                if (pauseMs >= 0) {
                    PauseBudget.grant(pauseMs);
                }
                Life.end(DETACH);
            } else {
                session.endShortage();
            }
        } catch (Throwable t) {
            failed(t);
        }
        if (IN_OWN_LOADER && session != null) {
            session.halt();
        }
        NativeAgent.set(false);
    }

    /** With a full heap each step may fail, and the next ones still run. A text that is used for the first time takes memory, too. */
    private static void failed(Throwable t) {
        try {
            Notices.failure("the runtime did not end in order", t);
        } catch (Throwable again) {
            // Nobody can be told.
        }
    }
}
