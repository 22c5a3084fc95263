package io.weighbridge.runtime.registry;

/**
 * What references that stand for more than one object say of the others, and with what error. For the sweep only.
 *
 * <p>Variances are those of a share: of n references, each for w objects, a part p lives; then the number alive is
 * {@code n w p} and its variance {@code n w (w - 1) p (1 - p)}. When a part of them dies later, that adds a variance of its
 * own and reduces the earlier one.
 */
final class Shares {
    /** A cohort with fewer references does not end, for so many collections. */
    private static final int ENOUGH = 16;
    private static final int PATIENCE = 8;
    /** The weight of earlier cohorts fades by this factor a cohort. */
    private static final double FADING = 0.95;
    /** References more than were seen: see {@link #bound}. */
    static final double MORE = 2;

    /** Of cohorts that have ended. */
    private double variance;
    /** Objects alive at the last exact count that no reference stands for. */
    double unseen;
    /** References of the open cohort, dead or alive: how many, what they stand for, and the squares. */
    private int parts;
    private double sum;
    private double squares;
    /** Objects of the open cohort may have been collected. */
    boolean collected;
    private int waited;
    /** References of cohorts when they ended, and those of them whose objects lived. */
    private double seen;
    private double survived;

    void add(float weight) {
        parts++;
        sum += weight;
        squares += weight * (double) weight;
    }

    /** Of the objects of ended cohorts the part {@code p} is left. There were {@code total}, {@code each} a reference. */
    void died(double total, double each, double p) {
        double references = total / each;
        double atMost = bound(references * p, references);
        variance = variance * atMost * atMost + total * Math.max(0, each - 1) * atMost * (1 - p);
        unseen *= p;
    }

    /**
     * A collection was seen. True if the open cohort has too few references, and may get more. {@code passed}: its objects
     * without a reference of their own.
     */
    boolean waits(double passed) {
        collected = true;
        if (passed > 0 && parts < ENOUGH && waited < PATIENCE) {
            waited++;
            return true;
        }
        return false;
    }

    /**
     * Ends the open cohort. {@code alive}: what its living references stand for. Gives the factor by which they stand for
     * more from now on.
     */
    double endCohort(double passed, double alive) {
        double factor = 1;
        if (parts == 0) {
            unseen += passed * prior();
        } else {
            double p = alive / sum;
            variance += newborn(passed, p);
            seen = seen * FADING + parts;
            survived = survived * FADING + parts * p;
            factor = passed / sum;
        }
        parts = 0;
        sum = 0;
        squares = 0;
        waited = 0;
        collected = false;
        return factor;
    }

    /** Objects of the open cohort without a reference of their own that live. */
    double born(double passed, double alive) {
        if (!collected) {
            return passed;
        }
        return passed * (sum > 0 ? alive / sum : prior());
    }

    /** The factor between what one of the open cohort's references stands for and what was drawn for it. */
    double scale(double passed, double alive) {
        return alive > 0 ? born(passed, alive) / alive : 1;
    }

    double variance(double passed, double alive) {
        double open = 0;
        if (collected && passed > 0) {
            open = sum > 0 ? newborn(passed, alive / sum) : passed * passed / 4;
        }
        return variance + open + unseen * unseen / 4;
    }

    /** The JVM has counted all objects. */
    void counted(double withoutReference) {
        variance = 0;
        unseen = withoutReference;
    }

    private double newborn(double passed, double p) {
        double each = squares / sum * (passed / sum);
        // Earlier cohorts say how few may live where few were seen.
        double all = seen + parts;
        double lived = survived + parts * p;
        double live = Math.max(p, bound(lived, all));
        double dead = Math.max(1 - p, bound(all - lived, all));
        return passed * Math.max(0, each - 1) * Math.min(0.25, live * dead);
    }

    /**
     * The share of which so many of all references were seen, with two more: with the variance of that share an interval holds also
     * where few were seen, or none.
     */
    static double bound(double some, double all) {
        return (some + MORE) / (all + MORE);
    }

    private double prior() {
        return (survived + 0.5) / (seen + 1);
    }
}
