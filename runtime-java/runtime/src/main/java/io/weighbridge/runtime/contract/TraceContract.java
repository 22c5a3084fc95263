package io.weighbridge.runtime.contract;

/**
 * The kinds of traces, and the numbers in their probes (docs/probe-contract.md, "Traces").
 *
 * <p>Made of runtime-java/contract by WEIGHBRIDGE_WRITE_TABLES=1; change that.
 */
public final class TraceContract {
    /** How often methods are called, how long that takes, and how often they throw. */
    public static final String METHODS = "methods";
    /** The slowest calls, with the calls that they make. */
    public static final String CALLS = "calls";
    /** Which lines and methods are reached. */
    public static final String COVERAGE = "coverage";
    /** Each object of the classes, where it was made, and when it was collected. */
    public static final String OBJECTS = "objects";
    /** The same, and which objects nobody uses; objects that were there before, too. */
    public static final String USES = "uses";
    /** Calls of the methods of the entries, by the scopes that they open. */
    public static final String SCOPES = "scopes";
    /** Global references of JNI that native code creates and frees, by stack. */
    public static final String REFERENCES = "references";
    /** A sample of all allocations, by class and stack. */
    public static final String SAMPLES = "samples";
    /** Frames of a stack unless given. */
    public static final int DEFAULT_FRAMES = 8;
    /** Calls that are kept unless given. */
    public static final int DEFAULT_CALLS = 100;
    /** Bytes for a sample unless given. */
    public static final int DEFAULT_EVERY = 524288;
    /** Numbers that traces can have. */
    public static final int NUMBERS = 128;
    /** In the number of a probe: above these bits is that of its trace. */
    public static final int PROBE_BITS = 23;
    /** In the number of a probe: the bits that are its index in a page. */
    public static final int PAGE_BITS = 12;

    private TraceContract() {
    }
}
