package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.jvm.Cleared;

/**
 * How many objects of a class lived when the last marking began. It is worked out once, in the first sweep after the marking was
 * found: what is collected later has lived then, too.
 */
final class Lived {
    /** For a class with objects that may have no reference: one object more or less. */
    private static final double LEAST_VARIANCE = 1;
    /** Standard errors on each side in an interval that holds 95 times in 100. */
    private static final double SIDE = 1.96;
    final long number;
    /** One standard error; 0 if the number is exact. */
    final long error;

    Lived(long number, long error) {
        this.number = number;
        this.error = error;
    }

    /**
     * From references that a sweep has just seen. What was registered between the earliest and the latest moment at which the
     * marking may have begun counts by half, and the interval has all of it. {@code exact}: each object has a reference;
     * {@code allocated}: no more can live.
     */
    static Lived at(Markings markings, Sample sample, boolean exact, long allocated) {
        double[] weights = sample.weights();
        int before = 0;
        int left = 0;
        double sum = sample.unseen();
        double between = 0;
        for (int i = 0; i < sample.count; i++) {
            if (Cleared.is(sample.kept[i])) {
                continue;
            }
            left++;
            long number = sample.kept[i].number();
            if (number < markings.number()) {
                before++;
                sum += weights[i];
            } else if (number < markings.latest()) {
                between += weights[i];
            }
        }
        long all = exact ? left : Math.max(left, Math.min(allocated, Math.round(sample.live())));
        long number = Math.max(before, Math.min(all, Math.round(sum + between / 2)));
        // Mostly it begins at the end of that time, so both add up.
        double error = between / 2 / SIDE + (exact ? 0 : deviation(sample.varianceAt(markings.number())));
        return new Lived(number, (long) Math.ceil(error));
    }

    /** One standard error of all that is not collected, by its square. */
    static long error(double variance) {
        return (long) Math.ceil(deviation(variance));
    }

    private static double deviation(double variance) {
        return Math.sqrt(Math.max(LEAST_VARIANCE, variance));
    }
}
