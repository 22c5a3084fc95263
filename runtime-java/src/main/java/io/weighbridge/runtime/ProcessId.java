package io.weighbridge.runtime;

/** The number of this process. */
final class ProcessId {
    /** It cannot be known: a security manager hides it, or memory was short when the JDK first looked. */
    static final long UNKNOWN = -1;

    private ProcessId() {
    }

    static long get() {
        try {
            return ProcessHandle.current().pid();
        } catch (SecurityException | LinkageError hidden) {
            return UNKNOWN;
        }
    }
}
