package io.weighbridge.runtime.contract;

/**
 * What the native agent asks the runtime to do (docs/control.md).
 *
 * <p>Made of runtime-java/contract by WEIGHBRIDGE_WRITE_TABLES=1; change that.
 */
public final class RequestWords {
    /** Its state. */
    public static final String STATUS = "status";
    /** A snapshot: how long a stop may be, in milliseconds or empty; a label. */
    public static final String MEASURE = "measure";
    /** A run: its name, and texts of {@code run_word}. */
    public static final String START = "start";
    /** The end of a run: its name. */
    public static final String STOP = "stop";
    /** New settings: names and values in turn. */
    public static final String SET = "set";
    /** What was decided about memory shortage. */
    public static final String SHORTAGE = "shortage";
    /** A line for the recording: when, in milliseconds since the epoch; a JSON object. */
    public static final String HEAP_COMPONENTS = "heap_components";
    /** A run of traces: its name, and texts of {@code trace_word}. */
    public static final String TRACE_START = "trace_start";
    /** The end of a run of traces: its name. */
    public static final String TRACE_STOP = "trace_stop";
    /** What a run of traces has found: its name. */
    public static final String TRACE_SHOW = "trace_show";
    /** The runs of traces. */
    public static final String TRACE_LIST = "trace_list";
    /** Time has passed while traces run. */
    public static final String TICK = "tick";
    /** The lines of the recording. */
    public static final String SUBSCRIBE = "subscribe";

    private RequestWords() {
    }
}
