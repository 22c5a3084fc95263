package io.weighbridge.runtime.walk;

/** A walk gives up; the message is the reason that the recording gives. */
final class WalkStopped extends RuntimeException {
    private static final long serialVersionUID = 1;

    WalkStopped(String reason) {
        super(reason, null, false, false);
    }
}
