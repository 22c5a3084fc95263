package io.weighbridge;

/**
 * Ends a piece of work that was cancelled because memory ran short (docs/shortage.md). Let it pass: the work ends, and its
 * memory is free. It is no {@code VirtualMachineError}, so servers answer with an error and go on.
 */
public final class Cancelled extends Error {
    private static final long serialVersionUID = 1;

    /** With what was cancelled, and why. */
    public Cancelled(String reason) {
        super(reason);
    }

    /** For a thread that is stopped from outside: the stack of whoever makes it would mislead. */
    private Cancelled(String reason, boolean withStack) {
        super(reason, null, false, withStack);
    }

    /** Without a stack trace. */
    public static Cancelled withoutStack(String reason) {
        return new Cancelled(reason, false);
    }
}
