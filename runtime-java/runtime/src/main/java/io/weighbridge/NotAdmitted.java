package io.weighbridge;

/** New work is refused because memory is short (docs/shortage.md, "Admission"). Thrown by methods that have a gate. */
public final class NotAdmitted extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** With what was refused, and why. */
    public NotAdmitted(String reason) {
        super(reason);
    }
}
