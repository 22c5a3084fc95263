package io.weighbridge.runtime.control;

import io.weighbridge.runtime.record.Stretch;

/**
 * When the next measurement at an interval is due, so that measuring keeps to its share of one core.
 *
 * <p>Times are nanoseconds of any clock that only moves forward; the caller reads it. Not safe for concurrent use.
 */
final class Spacing {
    private long intervalNs;
    private long nextNs;
    private Stretch stretch;

    /** Sets the interval; 0 for none. A new one starts now. */
    void interval(long milliseconds, long now) {
        long ns = milliseconds * 1_000_000;
        if (ns != intervalNs) {
            intervalNs = ns;
            nextNs = now + ns;
            stretch = null;
        }
    }

    /**
     * A measurement waits up to half an interval for a collection, because the least garbage counts as live right after one.
     * {@code collected}: a collection has just been seen.
     */
    boolean isDue(long now, boolean collected) {
        return intervalNs > 0 && now - nextNs >= (collected ? 0 : intervalNs / 2);
    }

    /** Milliseconds until the next measurement if no collection is seen, at most {@code most}; not above 0 if it is due. */
    long waitMs(long now, long most) {
        return intervalNs == 0 ? most : Math.min(most, (nextNs + intervalNs / 2 - now) / 1_000_000);
    }

    /**
     * A measurement that began at {@code start} has ended, and cost this much. The next one is due one interval after this
     * one was due, or later, so that this one's cost is at most {@code percent} of the time between the two.
     */
    void measured(long start, long costNs, int percent) {
        long inStep = Math.max(nextNs + intervalNs, start + intervalNs / 2);
        long affordable = start + costNs / percent * 100;
        nextNs = Math.max(inStep, affordable);
        // Without a stretch the next one may be due one and a half intervals after this one.
        stretch = affordable - start > intervalNs * 3 / 2 ? new Stretch(intervalNs, affordable - start, costNs, percent) : null;
    }

    /** The present wait, or the one just over, if it is longer than the interval; null otherwise. */
    Stretch stretch() {
        return stretch;
    }
}
