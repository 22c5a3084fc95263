package io.weighbridge.runtime;

import io.weighbridge.runtime.control.Life;
import io.weighbridge.runtime.jvm.InstrumentationHandle;
import io.weighbridge.runtime.jvm.Notices;
import java.lang.instrument.Instrumentation;

/**
 * Starts the runtime before {@code main}: by {@code -javaagent}, or by {@code Launcher-Agent-Class} in the manifest
 * of an executable jar. Both may happen in one JVM. It changes no class. It brings exact sizes, access to every field, and a
 * recording even of a program without rewritten classes.
 */
public final class Agent {
    private Agent() {
    }

    /** For {@code -javaagent:weighbridge-runtime.jar=key=value,key=value}. */
    public static void premain(String argument, Instrumentation given) {
        start(argument, given);
    }

    /** For {@code Launcher-Agent-Class} and for attaching. A Throwable out of here would abort the JVM. */
    public static void agentmain(String argument, Instrumentation given) {
        start(argument, given);
    }

    private static void start(String argument, Instrumentation given) {
        try {
            InstrumentationHandle.set(given);
            Life.start(argument);
        } catch (Throwable t) {
            Notices.failure("the runtime did not start", t);
        }
    }
}
