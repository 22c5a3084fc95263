package io.weighbridge.runtime.contract;

/**
 * The settings of a run of traces.
 *
 * <p>Made of runtime-java/contract by WEIGHBRIDGE_WRITE_TABLES=1; change that.
 */
public final class TraceWords {
    /** A pattern of classes, for people: the agent selects. */
    public static final String CLASS = "class";
    /** A pattern of classes that are left out, for people. */
    public static final String EXCEPT = "except";
    /** A pattern of methods, for people. */
    public static final String METHOD = "method";
    /** A scope that must be open: its key, {@code =}, its value. */
    public static final String SCOPE = "scope";
    /** A pattern of threads' names. */
    public static final String THREAD = "thread";
    /** Milliseconds after which it ends by itself. */
    public static final String FOR_MS = "for_ms";
    /** Milliseconds that the program may be stopped at once. */
    public static final String PAUSE_MS = "pause_ms";
    /** Nanoseconds that a call must take to be kept. */
    public static final String SLOWER_NS = "slower_ns";
    /** How many calls are kept. */
    public static final String MOST = "most";
    /** Frames of a stack. */
    public static final String FRAMES = "frames";
    /** Bytes for a sample. */
    public static final String EVERY = "every";
    /** Percent of the program's CPU time. */
    public static final String MAX_CPU = "max_cpu";
    /** {@code carry}, or the keys and values of scopes, with tabs between. */
    public static final String ENTRY = "entry";
    /** A trace: its number, {@code =}, its kind. They come last. */
    public static final String TRACE = "trace";

    private TraceWords() {
    }
}
