package io.weighbridge.runtime.record;

/** What a snapshot has besides the measurement. */
public final class Occasion {
    /** A word of the recording's format. */
    public final String reason;
    /** Null unless a request gave one. */
    final String label;
    /** A full collection ran right before, on purpose, and was seen to happen. */
    public boolean collected;
    /** Null unless measurements at an interval are further apart than asked. */
    public Stretch stretch;

    /** {@code label}: null for none. */
    public Occasion(String reason, String label) {
        this.reason = reason;
        this.label = label;
    }
}
