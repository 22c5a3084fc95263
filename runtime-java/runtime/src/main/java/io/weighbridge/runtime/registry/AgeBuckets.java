package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.contract.RuntimeOptions;

/**
 * The classes of ages that histograms show: each from its lower bound to the next one's, the last one open.
 * Immutable.
 */
public final class AgeBuckets {
    /** Unless set. */
    public static final String DEFAULT = RuntimeOptions.AGES.otherwise;
    /** Ascending, the first one 0. */
    public final long[] from;

    private AgeBuckets(long[] from) {
        this.from = from;
    }

    /** Reads lower bounds joined by {@code ;}; null if they do not begin with 0 or do not rise. */
    public static AgeBuckets parse(String text) {
        String[] bounds = text.split(";");
        long[] from = new long[bounds.length];
        try {
            for (int i = 0; i < from.length; i++) {
                from[i] = Integer.parseInt(bounds[i].trim());
                if (i == 0 ? from[0] != 0 : from[i] <= from[i - 1]) {
                    return null;
                }
            }
        } catch (NumberFormatException notANumber) {
            return null;
        }
        return from.length <= RuntimeOptions.MOST_AGES ? new AgeBuckets(from) : null;
    }

    /** The bucket of an age; a clock that was set back counts as 0. */
    int of(int age) {
        int bucket = from.length - 1;
        while (bucket > 0 && age < from[bucket]) {
            bucket--;
        }
        return bucket;
    }
}
