package io.weighbridge.runtime.contract;

/**
 * The settings of a run of measurements.
 *
 * <p>Made of runtime-java/contract by WEIGHBRIDGE_WRITE_TABLES=1; change that.
 */
public final class RunWords {
    /** The path of its recording. */
    public static final String FILE = "file";
    /** A pattern of classes. */
    public static final String INCLUDE = "include";
    /** A pattern of classes that are left out. */
    public static final String EXCLUDE = "exclude";
    /** An option of the runtime, {@code =}, its value. */
    public static final String SET = "set";

    private RunWords() {
    }
}
