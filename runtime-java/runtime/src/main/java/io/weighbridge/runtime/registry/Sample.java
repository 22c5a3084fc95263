package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.jvm.Cleared;
import io.weighbridge.runtime.probe.Thinning;
import io.weighbridge.runtime.probe.Tracked;
import java.util.Arrays;
import java.util.Random;

/**
 * The references of one class that a sweep has seen, and how well they stand for all its objects. For the sweep only.
 *
 * <p>How many objects were constructed between two collections is known exactly. So the references of such a cohort share
 * that number ({@link Shares#endCohort}, a ratio estimator). That is exact if all objects of the cohort have references, if
 * all live, or if all are dead; otherwise only the part that died is estimated. Joining references ({@link Thinning}) keeps
 * the sum. A count of the JVM's own corrects the sum ({@link #calibrate}).
 */
public final class Sample {
    private static final Tracked[] NOTHING = {};

    /** Dense up to {@link #count}, in the order of the sweeps that took them in. */
    public Tracked[] kept = NOTHING;
    /** References kept. */
    public int count;
    /** References before this index belong to cohorts that have ended. */
    private int closed;
    /** Objects constructed until the open cohort began, and until the last sweep. */
    private long bornFrom;
    private long arrivals;
    /** Registrations before the open cohort, and until the last sweep. */
    private long openedAt;
    private long sweptTo;
    /** References of the open cohort that stand for themselves alone, dead or alive. */
    private int whole;
    /** Null while every reference stands for itself alone. */
    private Shares shares;

    /**
     * Takes over a list of new references, with numbers less than {@code until}; drops what was collected, and renews references
     * from the number {@code renewFrom} on.
     */
    void absorb(Tracked fresh, long renewFrom, long until, long constructed) {
        arrivals = constructed;
        sweptTo = until;
        int before = count;
        double sum = 0;
        double squares = 0;
        double left = 0;
        int to = 0;
        for (int i = 0; i < closed; i++) {
            float weight = kept[i].weight;
            Tracked t = current(kept[i], renewFrom);
            if (weight > 1) {
                sum += weight;
                squares += weight * (double) weight;
                left += t == null ? 0 : weight;
            }
            to = move(t, to);
        }
        int cohort = to;
        for (int i = closed; i < before; i++) {
            to = move(current(kept[i], renewFrom), to);
        }
        boolean died = to - cohort < before - closed;
        closed = cohort;
        count = to;
        if (shares != null && left < sum) {
            shares.died(sum, squares / sum, left / sum);
        }
        for (Tracked t = fresh; t != null; ) {
            Tracked following = t.next;
            t.next = null;
            if (t.weight > 1) {
                shares().add(t.weight);
            } else {
                whole++;
            }
            Tracked current = current(t, renewFrom);
            died |= current == null;
            if (current != null) {
                add(current);
            }
            t = following;
        }
        if (shares != null && died) {
            shares.collected = true;
        }
        truncate(before);
    }

    private int move(Tracked t, int to) {
        if (t == null) {
            return to;
        }
        // An equal write would dirty the card, and the next collection would scan it.
        if (kept[to] != t) {
            kept[to] = t;
        }
        return to + 1;
    }

    private static Tracked current(Tracked t, long renewFrom) {
        if (Cleared.is(t)) {
            return null;
        }
        return t.number() < renewFrom ? t : t.renewed();
    }

    /** A collection was seen: the cohort ends if it has enough references. {@code exact}: each object has one. */
    void afterCollection(boolean exact) {
        if (shares == null && (exact || passed() == 0)) {
            // Objects whose references no sweep has taken belong to the next cohort.
            double later = passed();
            close();
            bornFrom -= (long) later;
        } else if (!shares().waits(arrivals - bornFrom - whole)) {
            endCohort(arrivals - bornFrom - whole);
        }
    }

    private boolean isInOpen(long marking) {
        return openedAt < marking && marking < sweptTo;
    }

    /**
     * A marking began in the middle of the open cohort. How many of all its objects live is known better than how many of those
     * before the marking: the square of one standard error of the part.
     */
    private double cut(long marking) {
        double open = shares.scale(passed(), openParts());
        double all = 0;
        double squares = 0;
        int references = 0;
        int after = 0;
        for (int i = closed; i < count; i++) {
            double weight = kept[i].weight * open;
            if (kept[i].weight > 1) {
                references++;
                all += weight;
                after += kept[i].number() < marking ? 0 : 1;
                squares += kept[i].number() < marking ? weight * (weight - 1) : 0;
            }
        }
        double each = references == 0 ? 0 : all / references;
        // Where few references are on one side, as many objects as two of them stand for may be there.
        return (squares + Shares.MORE * each * (each - 1)) * Shares.bound(after, references);
    }

    private void endCohort(double passed) {
        scale(closed, shares.endCohort(passed, openParts()));
        close();
    }

    private void close() {
        closed = count;
        bornFrom = arrivals;
        openedAt = sweptTo;
        whole = 0;
    }

    /** Joins references of cohorts that have ended until at most about {@code limit} are left. */
    void thin(int limit, Random random) {
        int most = Math.max(1, limit - (count - closed)) * 3 / 4;
        Thinning thinning = new Thinning(Thinning.target(kept, closed, most), random);
        int before = count;
        int to = 0;
        for (int i = 0; i < closed; i++) {
            to = move(thinning.add(kept[i]), to);
        }
        to = move(thinning.end(), to);
        int cohort = to;
        for (int i = closed; i < before; i++) {
            to = move(kept[i], to);
        }
        closed = cohort;
        count = to;
        shares();
        truncate(before);
    }

    /** The reference to an object, or null. */
    Tracked find(Object o) {
        for (int i = 0; i < count; i++) {
            if (kept[i].get() == o) {
                return kept[i];
            }
        }
        return null;
    }

    /** How many objects no collection has removed, estimated. */
    double live() {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += i < closed || kept[i].weight == 1 ? kept[i].weight : 0;
        }
        return shares == null ? sum + passed() : sum + shares.unseen + shares.born(passed(), openParts());
    }

    /** Objects constructed since the last sweep, of so many in all. */
    long since(long constructed) {
        return Math.max(0, constructed - arrivals);
    }

    /** Objects of cohorts that have ended for which no reference stands, estimated. */
    double unseen() {
        return shares == null ? 0 : shares.unseen;
    }

    /** The square of one standard error of {@link #live}. */
    double variance() {
        return shares == null ? 0 : shares.variance(passed(), openParts());
    }

    /** The same of those that lived at the last marking. */
    double varianceAt(long marking) {
        if (shares == null) {
            return 0;
        }
        return variance() + (isInOpen(marking) ? cut(marking) : 0);
    }

    /** What each reference stands for now, side by side with {@link #kept}. */
    double[] weights() {
        double open = shares == null ? 1 : shares.scale(passed(), openParts());
        double[] weights = new double[count];
        for (int i = 0; i < count; i++) {
            float weight = kept[i].weight;
            weights[i] = i < closed || weight == 1 ? weight : weight * open;
        }
        return weights;
    }

    /** Objects of the open cohort that have no reference of their own. */
    private double passed() {
        return Math.max(0, arrivals - bornFrom - whole);
    }

    /** What the living references of the open cohort were drawn to stand for, without those that stand for themselves alone. */
    private double openParts() {
        return parts(closed);
    }

    private double parts(int from) {
        double sum = 0;
        for (int i = from; i < count; i++) {
            sum += kept[i].weight > 1 ? kept[i].weight : 0;
        }
        return sum;
    }

    /**
     * The JVM has counted {@code live} objects: from now on the references stand for that many. True if each object has a
     * reference.
     */
    boolean calibrate(long live) {
        if (shares != null) {
            endCohort(passed());
        }
        if (live == count) {
            for (int i = 0; i < count; i++) {
                kept[i].weight = 1;
            }
            shares = null;
            return true;
        }
        if (shares == null || live < count) {
            return false;
        }
        double parts = parts(0);
        int ones = 0;
        for (int i = 0; i < count; i++) {
            ones += kept[i].weight > 1 ? 0 : 1;
        }
        if (parts > 0) {
            scale(0, Math.max(0, live - ones) / parts);
        } else if (count > 0) {
            for (int i = 0; i < count; i++) {
                kept[i].weight = (float) (live / (double) count);
            }
        }
        shares.counted(count == 0 ? live : 0);
        return false;
    }

    /** From an index on. */
    private void scale(int from, double factor) {
        for (int i = from; i < count; i++) {
            if (kept[i].weight > 1) {
                kept[i].weight = Math.max(1.0000001f, (float) (kept[i].weight * factor));
            }
        }
    }

    private Shares shares() {
        if (shares == null) {
            shares = new Shares();
        }
        return shares;
    }

    private void add(Tracked t) {
        if (count == kept.length) {
            kept = Arrays.copyOf(kept, Math.max(4, count + (count >> 1)));
        }
        kept[count++] = t;
    }

    private void truncate(int before) {
        if (kept.length > 64 && count < kept.length / 4) {
            kept = Arrays.copyOf(kept, count * 2);
        } else if (before > count) {
            Arrays.fill(kept, count, before, null);
        }
    }
}
