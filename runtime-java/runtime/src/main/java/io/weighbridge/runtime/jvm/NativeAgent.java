package io.weighbridge.runtime.jvm;

/**
 * Whether the native agent is there, without which nobody may call {@code NativeMethods}, and what it sets before it calls the
 * runtime.
 */
public final class NativeAgent {
    private static volatile boolean present;
    /** Set by the agent, before the JVM gets the first class of the boot loader with probes. */
    private static volatile boolean changesJdk;
    /** Set by the agent before the start: what it adds to the ids of classes in probes. */
    private static volatile int firstId;

    private NativeAgent() {
    }

    /** For the agent: it has come, or it goes. */
    public static void set(boolean isPresent) {
        present = isPresent;
    }

    /** Whether the methods may be called. */
    public static boolean isPresent() {
        return present;
    }

    /** Whether a class that the runtime itself uses may have probes. */
    public static boolean changesJdk() {
        return changesJdk;
    }

    /** The first id in the probes of this session: 0 in a JVM that had no session before. */
    public static int firstId() {
        return firstId;
    }
}
