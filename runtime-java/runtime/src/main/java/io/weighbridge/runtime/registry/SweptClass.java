package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.probe.Tracked;
import java.lang.invoke.VarHandle;
import java.util.Random;

/** What the sweep keeps of one class: its references, and what it constructed in the last cycles. For the sweep only. */
public final class SweptClass {
    /** References of a cycle that are enough to notice that a part of the objects died. */
    private static final int FEW = 32;

    final ClassEntry entry;
    /** Its references that a sweep has seen. */
    public Sample sample = new Sample();
    /** Objects constructed until the last collection was seen. */
    public long atCollection;
    /** Objects constructed between the last collection that was seen and the one before. */
    public long lastCycle;
    /** {@link #lastCycle} of the cycle before: both say how many to expect. */
    private long cycleBefore;
    private int wanted = Budget.perCycle();
    /** Of the last marking, and how many markings there had been. */
    private Lived lived;
    private int markings;

    SweptClass(ClassEntry entry) {
        this.entry = entry;
    }

    /** A collection was seen when this much had been allocated. */
    void endCycle(long allocated) {
        cycleBefore = lastCycle;
        lastCycle = allocated - atCollection;
        atCollection = allocated;
    }

    /** Objects to expect in the next cycle: as many as the last two cycles had in common. */
    long expected() {
        return Math.min(lastCycle, cycleBefore);
    }

    /**
     * References that a cycle of a class with more objects should have, so that the standard error of its figure is about a
     * twentieth, or fifty objects.
     */
    int wanted() {
        double error = Math.sqrt(sample.variance()) / Math.max(sample.live(), 1000);
        double grown = wanted * (error > 0.06 ? 1.5 : error < 0.04 ? 0.8 : 1);
        wanted = (int) Math.max(FEW, Math.min(grown, Budget.perCycle()));
        return wanted;
    }

    /**
     * Sets the rate for the next cycle, so that at most {@code references} are made if it is like the last two. True if the
     * rate rises. One burst does not lower it, one quiet cycle does not raise it.
     */
    boolean pace(int references) {
        int lowest = shiftFor(Math.min(lastCycle, cycleBefore), references);
        int highest = shiftFor(Math.max(lastCycle, cycleBefore), references);
        return entry.pace(lowest, highest, references);
    }

    private static int shiftFor(long objects, int references) {
        int s = 0;
        while (s < ClassEntry.MAX_SHIFT && objects >> s > references) {
            s++;
        }
        return s;
    }

    /**
     * Takes over what was registered with numbers before {@code until}, and drops what was collected. {@code constructed}:
     * objects constructed before that number.
     */
    void absorb(long renewFrom, long until, long constructed) {
        Tracked earlier = entry.takeFresh(until);
        if (earlier != ClassEntry.LATER) {
            sample.absorb(earlier, renewFrom, until, constructed);
        }
    }

    /** Joins references until about {@code limit} are left. */
    void thin(int limit, Random random) {
        sample.thin(limit, random);
        entry.thinned();
    }

    /**
     * The JVM has counted the class's objects. If each has a reference and none is passed over any more, the class
     * is exact from now on.
     */
    void calibrate(long live) {
        if (sample.calibrate(live) && entry.mayBeExact()) {
            entry.complete();
            // As in Stripe.draw and ClassEntry.halve: either this sees the gap of a thread that passes over objects, or the
            // rate of one that joins references, or the thread sees this.
            VarHandle.fullFence();
            if (Stripes.passesOver(entry.id) || entry.shift() > 0) {
                entry.lose();
            } else {
                entry.forgetWhy();
            }
        }
    }

    /** If a new marking was found: how many lived then. Right after {@link #absorb}. */
    void mark(Markings found, long constructed) {
        if (markings != found.count()) {
            markings = found.count();
            lived = Lived.at(found, sample, entry.exact(), constructed);
        }
    }

    /** What lived at the last marking; null without one. */
    Lived lived() {
        return lived;
    }

    /** So many more lived at the last marking, which nobody had announced. */
    void met(long objects) {
        if (lived != null) {
            lived = new Lived(lived.number + objects, lived.error);
        }
    }

    /** The JVM, or a heap dump, has counted so many at the last marking: that is told until a later one is known. */
    public void remember(long objects) {
        lived = new Lived(objects, 0);
    }

    /** Forgets every reference, so that the class starts anew. */
    void forget() {
        entry.forget();
        sample = new Sample();
        wanted = Budget.perCycle();
        atCollection = 0;
        lastCycle = 0;
        cycleBefore = 0;
        lived = null;
    }
}
