package io.weighbridge.runtime;

import java.lang.instrument.Instrumentation;

/** What the JVM gave the agent, if there is one: exact sizes, and access to every field. */
final class InstrumentationHandle {
    private static volatile Instrumentation given;

    private InstrumentationHandle() {
    }

    /** The agent has started; a second one replaces it. */
    static void set(Instrumentation instrumentation) {
        given = instrumentation;
    }

    /** Null without an agent. */
    static Instrumentation get() {
        return given;
    }
}
