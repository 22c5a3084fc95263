package io.weighbridge.runtime;

/**
 * When the next measurement at an interval is due, so that measuring keeps to its share of one core.
 *
 * <p>Times are nanoseconds of any clock that only moves forward; the caller reads it. Not safe for concurrent use.
 */
final class Spacing {
    private long intervalNs;
    private long nextNs;

    /** Takes over an interval; 0 for none. A new one starts counting now. */
    void interval(long milliseconds, long now) {
        long ns = milliseconds * 1_000_000;
        if (ns != intervalNs) {
            intervalNs = ns;
            nextNs = now + ns;
        }
    }

    boolean isDue(long now) {
        return intervalNs > 0 && now - nextNs >= 0;
    }

    /** Milliseconds until the next measurement, at most {@code most}; not above 0 if it is due. */
    long waitMs(long now, long most) {
        return intervalNs == 0 ? most : Math.min(most, (nextNs - now) / 1_000_000);
    }

    /**
     * A measurement that began at {@code start} has ended and cost this much: the next one begins an interval after its
     * beginning, or later, so that the cost is at most {@code percent} of the time between the two.
     */
    void measured(long start, long costNs, int percent) {
        nextNs = start + Math.max(intervalNs, costNs / percent * 100);
    }
}
