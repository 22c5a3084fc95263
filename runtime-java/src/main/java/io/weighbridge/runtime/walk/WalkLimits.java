package io.weighbridge.runtime.walk;

/**
 * When a walk has to give up: its time is over, it needs memory that the program may need, or the JVM ends. Checked every
 * few thousand objects.
 */
public final class WalkLimits {
    /** A walk may take a part of what the heap can still grow by, or this part of the largest heap if that is more. */
    private static final int FREE_PART = 2;
    private static final int HEAP_PART = 8;
    private final long deadline;
    private final long bytes;
    private volatile String stop;

    /** {@code nanos}: how long the walk may take, 0 for any time. */
    public WalkLimits(long nanos) {
        deadline = nanos == 0 ? 0 : System.nanoTime() + nanos;
        Runtime vm = Runtime.getRuntime();
        long free = vm.maxMemory() - (vm.totalMemory() - vm.freeMemory());
        bytes = Math.max(free / FREE_PART, vm.maxMemory() / HEAP_PART);
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
            throw new WalkStopped("memory limit: " + bytes + " bytes");
        }
    }
}
