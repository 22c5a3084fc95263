package io.weighbridge.runtime;

/** What a snapshot says besides the measurement. */
final class Occasion {
    final String reason;
    /** Null unless a request gave one. */
    final String label;
    /** A full collection ran right before, on purpose, and was seen to happen. */
    boolean collected;
    /** Null unless measurements at an interval come further apart than asked. */
    Stretch stretch;

    Occasion(String reason, String label) {
        this.reason = reason;
        this.label = label;
    }
}
