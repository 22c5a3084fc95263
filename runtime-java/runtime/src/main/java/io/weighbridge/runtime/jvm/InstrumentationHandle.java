package io.weighbridge.runtime.jvm;

import java.lang.instrument.Instrumentation;

/** What the JVM gave the agent, if there is one: exact sizes, and access to every field. */
public final class InstrumentationHandle {
    private static volatile Instrumentation given;

    private InstrumentationHandle() {
    }

    /** The agent has started; a second one replaces it. */
    public static void set(Instrumentation instrumentation) {
        given = instrumentation;
    }

    /** Null without an agent. */
    public static Instrumentation get() {
        return given;
    }
}
