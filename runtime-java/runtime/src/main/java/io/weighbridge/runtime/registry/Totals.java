package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.Origin;
import io.weighbridge.runtime.probe.Stripe;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.probe.ThreadNames;
import java.util.Arrays;

/**
 * Objects constructed, by class and by group of threads: the sums over the stripes of live threads, and what those of dead
 * ones had counted. Guarded by the sweep's lock.
 */
final class Totals implements Stripes.Visitor {
    /** By id: arrivals on live threads. */
    private long[] running = {};
    /** By id: arrivals of stripes whose threads have died, less those before the last reset. */
    private long[] folded = {};
    /** By group of {@link ThreadNames}: arrivals on live threads, and on dead ones less those before the last reset. */
    private long[] runningByGroup = new long[Origin.GROUPS];
    private final long[] foldedByGroup = new long[Origin.GROUPS];
    /** What will be {@link #running} and {@link #runningByGroup} when all stripes are read. */
    private long[] sums;
    private long[] sumsByGroup;

    /** Of one class: as of the last {@link #count}, and what threads without a stripe have added since. */
    long of(ClassEntry e) {
        return at(folded, e.id) + at(running, e.id) + e.shared.sum();
    }

    private static long at(long[] counts, int id) {
        return id < counts.length ? counts[id] : 0;
    }

    /** By id, as of the last {@link #count}. */
    long[] byClass() {
        long[] allocated = new long[running.length];
        for (ClassEntry e : ClassTable.entries()) {
            if (e.id < allocated.length) {
                allocated[e.id] = of(e);
            }
        }
        return allocated;
    }

    /** By group of threads, as of the last {@link #count}. */
    long[] byGroup() {
        long[] groups = new long[Origin.GROUPS];
        for (int g = 0; g < groups.length; g++) {
            groups[g] = foldedByGroup[g] + runningByGroup[g];
        }
        for (ClassEntry e : ClassTable.entries()) {
            groups[ThreadNames.VIRTUAL] += e.shared.sum() - e.before() - e.unannounced();
        }
        return groups;
    }

    /** Reads every stripe. */
    void count() {
        sums = new long[ClassTable.size()];
        sumsByGroup = new long[Origin.GROUPS];
        if (folded.length < sums.length) {
            folded = Arrays.copyOf(folded, sums.length);
        }
        Stripes.collect(this);
        running = sums;
        runningByGroup = sumsByGroup;
    }

    @Override
    public void add(Stripe stripe, boolean alive) {
        long[] cells = stripe.cells;
        long[] byGroup = alive ? sumsByGroup : foldedByGroup;
        byGroup[stripe.group()] += stripe.elsewhere();
        byGroup[ThreadNames.VIRTUAL] -= stripe.elsewhere();
        int classes = Math.min(Stripe.classes(cells), sums.length);
        if (!alive) {
            makeEntries(cells, classes);
        }
        for (int id = 0; id < classes; id++) {
            int cell = Stripe.cell(id);
            long arrivals = cells[cell];
            if (arrivals == 0) {
                continue;
            }
            byGroup[stripe.group()] += arrivals;
            ClassEntry entry = ClassTable.entry(id);
            if (alive) {
                sums[id] += arrivals;
            } else {
                folded[id] += arrivals;
                // A dead thread whose last arrival was sampled but has drawn no new gap failed to register it.
                if (entry.live && arrivals >= Math.abs(cells[cell + 1])) {
                    entry.lose();
                }
            }
        }
    }

    /** Allocates all memory before anything is added: a dead thread's counters must not be added in part and then again. */
    private static void makeEntries(long[] cells, int classes) {
        for (int id = 0; id < classes; id++) {
            if (cells[Stripe.cell(id)] != 0) {
                ClassTable.entry(id);
            }
        }
    }

    /** Starts all counts at zero. After a {@link #count}. */
    void reset() {
        long[] groups = byGroup();
        for (int g = 0; g < groups.length; g++) {
            foldedByGroup[g] -= groups[g];
        }
        long[] allocated = byClass();
        for (int id = 0; id < allocated.length; id++) {
            folded[id] -= allocated[id];
        }
    }
}
