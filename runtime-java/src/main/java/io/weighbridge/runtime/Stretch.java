package io.weighbridge.runtime;

/** Why the next measurement comes later than an interval after the one before: that one cost too much. Milliseconds. */
final class Stretch {
    final long intervalMs;
    final long stretchedMs;
    final long costMs;
    final int percent;

    Stretch(long intervalNs, long stretchedNs, long costNs, int percent) {
        intervalMs = intervalNs / 1_000_000;
        stretchedMs = stretchedNs / 1_000_000;
        costMs = (costNs + 999_999) / 1_000_000;
        this.percent = percent;
    }
}
