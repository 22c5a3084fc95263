package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.registry.Registry;

/**
 * The runtime's life in this JVM. The agent or the first rewritten jar starts it, whichever comes first. It ends with the
 * JVM, or on request before.
 *
 * <p>Starting and linking take only the start lock, for as long as it takes to read options, so they may be called
 * with any lock held. No code on that way has a lambda: the first one of a program costs some milliseconds.
 */
public final class Life {
    private static final Object START = new Object();
    /** The only one. Static, because bridges, the agent and the program call static methods. */
    private static volatile Session current;
    /** The class above this package that has static state; null if nothing came in there. */
    private static volatile Class<?> entrance;

    private Life() {
    }

    /** Before the start: what this class holds is a part of the runtime's weight. */
    public static void enteredBy(Class<?> type) {
        entrance = type;
    }

    /** The agent's start. A runtime that a jar has started already keeps going, with the agent's options on top. */
    public static void start(String agentArgument) {
        synchronized (START) {
            if (current == null) {
                begin(Options.of(agentArgument));
            } else if (agentArgument != null && !agentArgument.isEmpty()) {
                current.options.addAgent(agentArgument);
            }
        }
    }

    /** What is wrong with an agent's options, in a sentence; null if nothing is. */
    public static String refusal(String agentArgument) {
        return Options.refusal(agentArgument);
    }

    /** Starts the runtime if it was not, and takes the options baked into the jar. True if the jar's probes shall count. */
    public static boolean admit(LinkTable table) {
        synchronized (START) {
            boolean starts = current == null;
            if (starts) {
                Options options = Options.of(null).with(table.options);
                if (!options.enabled) {
                    return false;
                }
                begin(options);
            }
            current.options.addJar(table, starts);
            return current.isOn();
        }
    }

    /** A jar that was admitted has met the runtime. */
    public static void linked(LinkTable table) {
        current.linked(table);
    }

    /** Null before anything started it, or if it was not started because the options say so. */
    public static Session current() {
        return current;
    }

    /** The runtime, started if it was not. */
    public static Session startedByRequest() {
        start(null);
        return current;
    }

    /** Ends the runtime after a last measurement. */
    public static void end(String reason) {
        Session session = current;
        if (session != null) {
            session.end(reason);
            if (session.options.get().jmx) {
                RuntimeBean.unregister();
            }
        }
    }

    /** The sweep of this JVM; null before anything started it. */
    public static Registry registry() {
        Session session = current;
        return session == null ? null : session.registry;
    }

    private static void begin(Options options) {
        long begun = System.nanoTime();
        Session session = new Session(options, entrance == null ? Statics.with(Life.class) : Statics.with(Life.class, entrance));
        Notices.ready();
        current = session;
        if (options.enabled) {
            session.start(new Ticker(session));
            session.started(System.nanoTime() - begun);
        }
    }
}
