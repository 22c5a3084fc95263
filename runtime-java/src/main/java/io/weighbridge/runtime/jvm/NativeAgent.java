package io.weighbridge.runtime.jvm;

/**
 * What the native agent does for the runtime ({@code agent/src/natives.rs}). It registers these methods when it starts the
 * runtime; without it they must not be called. None of them runs Java code, and none waits but {@link #nextRequest} and
 * {@link #ask}.
 */
public final class NativeAgent {
    private static volatile boolean present;
    /** Set by the agent, before the JVM gets the first class of the boot loader with probes. */
    private static volatile boolean changesJdk;

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

    /**
     * What the runtime was not told yet of classes that were loaded: a table (docs/probe-contract.md, "Classes at load") and
     * the loader of its classes, null for the boot loader. The table alone if the loader was collected, or if it has no
     * classes. Null if there is nothing.
     */
    public static native Object[] takeClasses();

    /** Whether the agent needs ids, to give them to classes while they are loaded. */
    public static native boolean wantsIds();

    /** Objects in the heap by class id, dead ones that are not collected yet included; walks the heap while the program waits. */
    public static native long[] countObjects();

    /**
     * Takes about {@code wanted[id]} objects of each class, at random out of {@code counts[id]}: an {@code Object[]} and, side by
     * side with it, an {@code int[]} of their ids. Null if there is no memory for them.
     */
    public static native Object[] takeObjects(long[] wanted, long[] counts);

    /** The next request of a client: its key, its command and the arguments. Waits; null at the end. */
    public static native String[] nextRequest();

    /** Answers a request with a JSON object, or with a sentence why not. */
    public static native void reply(String key, boolean done, String text);

    /** Makes the client of a request follow the recording, with these lines first. */
    public static native void follow(String key, String lines);

    /** Whether a client follows the recording. */
    public static native boolean isFollowed();

    /** Gives lines to all who follow. */
    public static native void publish(String lines);

    /**
     * Asks as a client of the control channel does, and gives the reply; null if nobody can ask. Waits for the thread that
     * takes requests by {@link #nextRequest}, two minutes at most.
     */
    public static native String ask(String request);

    /** Gives it the ids from {@code first} on. */
    public static native void giveIds(int first, int count);
}
