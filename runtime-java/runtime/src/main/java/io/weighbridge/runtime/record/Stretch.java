package io.weighbridge.runtime.record;

/** Why the next measurement is later than one interval after the last: that one cost too much. Milliseconds. */
public final class Stretch {
    /** The interval that was asked for. */
    public final long intervalMs;
    /** The one that the cost allows. */
    public final long stretchedMs;
    /** What the last measurement took, of one core. */
    public final long costMs;
    /** The option {@code cpu_percent}. */
    public final int percent;

    /** Of nanoseconds. */
    public Stretch(long intervalNs, long stretchedNs, long costNs, int percent) {
        intervalMs = intervalNs / 1_000_000;
        stretchedMs = stretchedNs / 1_000_000;
        costMs = (costNs + 999_999) / 1_000_000;
        this.percent = percent;
    }
}
