package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.HeapUse;

/**
 * When a walk has to give up: its time is over, it needs memory that the program may need, or the JVM ends. Checked every
 * few thousand objects.
 */
public final class WalkLimits {
    /** Unless somebody sets a limit: this part of the largest heap, and no less than that. */
    private static final int HEAP_PART = 100;
    private static final long LEAST = 4 << 20;
    /** Where less is of no use: this part of what the heap has free. */
    private static final int FREE_PART = 10;
    private final long deadline;
    private final boolean isSet;
    private long bytes;
    private volatile String stop;

    /** {@code nanos}: how long the walk may take, 0 for any time; {@code bytes}: of its tables, 0 for what does no harm. */
    public WalkLimits(long nanos, long bytes) {
        deadline = nanos == 0 ? 0 : System.nanoTime() + nanos;
        isSet = bytes != 0;
        this.bytes = isSet ? bytes : Math.max(LEAST, Runtime.getRuntime().maxMemory() / HEAP_PART);
    }

    /**
     * Allows more for the tables, if nobody has set a limit; false if there is no more. Garbage that nobody has collected is not
     * free here.
     */
    boolean takeWhatIsFree() {
        long before = bytes;
        if (!isSet) {
            bytes = Math.max(bytes, HeapUse.left() / FREE_PART);
        }
        return bytes > before;
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
