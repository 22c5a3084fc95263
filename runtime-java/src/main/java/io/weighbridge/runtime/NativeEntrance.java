package io.weighbridge.runtime;

import io.weighbridge.runtime.control.Life;
import io.weighbridge.runtime.control.Requests;
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
     * @return what the bridge's fields {@code LIVE}, {@code LIVE_OTHERS}, {@code COUNT} and {@code COUNT_OTHERS} get; null if the
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
        return new Object[] {LiveProbe.INSTANCE, LiveOthersProbe.INSTANCE, CountProbe.INSTANCE, CountOthersProbe.INSTANCE};
    }

    /** Takes in the objects that existed before. All classes that were loaded have their probes. */
    static void adopt() {
        int entered = Inside.enter();
        try {
            Life.current().adopt();
        } catch (Throwable t) {
            Notices.failure("objects that existed before are not known", t);
        } finally {
            Inside.leave(entered);
        }
    }

    /** Leaves the objects that existed before out, instead of taking them in. */
    static void leaveBeforeOut() {
        int entered = Inside.enter();
        try {
            Life.current().leaveBeforeOut();
        } catch (Throwable t) {
            Notices.failure("objects that existed before may be counted as made without a constructor", t);
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

    /** The agent goes. A runtime that the class path has goes on, for the jars that were rewritten. */
    static void end() {
        try {
            ClassTable.takeLoaded();
            if (NativeEntrance.class.getClassLoader() != ClassLoader.getSystemClassLoader()) {
                Life.end("detach");
            }
            NativeAgent.set(false);
        } catch (Throwable t) {
            Notices.failure("the runtime did not end in order", t);
        }
    }
}
