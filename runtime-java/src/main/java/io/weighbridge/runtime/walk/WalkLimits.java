package io.weighbridge.runtime.walk;

/**
 * When a walk has to give up: its time is over, it needs memory that the program may need, or the JVM ends. Checked every
 * few thousand objects.
 */
public final class WalkLimits {
    /** What a walk may take unless the options say it: this part of the largest heap, and no less than that. */
    private static final int HEAP_PART = 100;
    private static final long LEAST = 4 << 20;
    private final long deadline;
    private final long bytes;
    private volatile String stop;

    /** {@code nanos}: how long the walk may take, 0 for any time; {@code bytes}: of its tables. */
    public WalkLimits(long nanos, long bytes) {
        deadline = nanos == 0 ? 0 : System.nanoTime() + nanos;
        this.bytes = bytes;
    }

    /** The bytes of tables that a walk may have by default. */
    public static long defaultBytes() {
        return Math.max(LEAST, Runtime.getRuntime().maxMemory() / HEAP_PART);
    }

    /** Makes the walk stop at its next look, from any thread. */
    public void stop(String reason) {
        stop = reason;
    }

    void check(long bytesHeld) {
        if (stop != null) {
            throw new WalkStopped(stop);
        }
        if (deadline != 0 && System.nanoTime() - deadline > 0) {
            throw new WalkStopped("time limit");
        }
        if (bytesHeld > bytes) {
            throw new WalkStopped("memory limit: " + bytes + " bytes", true);
        }
    }
}
