package io.weighbridge.runtime.record;

/** Why the next measurement comes later than an interval after the one before: that one cost too much. Milliseconds. */
public final class Stretch {
    public final long intervalMs;
    public final long stretchedMs;
    public final long costMs;
    public final int percent;

    public Stretch(long intervalNs, long stretchedNs, long costNs, int percent) {
        intervalMs = intervalNs / 1_000_000;
        stretchedMs = stretchedNs / 1_000_000;
        costMs = (costNs + 999_999) / 1_000_000;
        this.percent = percent;
    }
}
