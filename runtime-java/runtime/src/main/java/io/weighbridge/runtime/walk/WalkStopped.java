package io.weighbridge.runtime.walk;

/** A walk gives up; the message is the reason that the recording gives. */
final class WalkStopped extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** With fewer roots it may have room. */
    final boolean needsMemory;

    WalkStopped(String reason) {
        this(reason, false);
    }

    WalkStopped(String reason, boolean needsMemory) {
        super(reason, null, false, false);
        this.needsMemory = needsMemory;
    }
}
