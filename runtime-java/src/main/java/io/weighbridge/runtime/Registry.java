package io.weighbridge.runtime;

import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The sweep: what turns counters and references into figures, and keeps both within bounds.
 *
 * <p>One sweep at a time, on the runtime's thread or on a measuring one; the program's threads never take its
 * lock. A sweep costs a few nanoseconds for each reference and stripe.
 */
final class Registry {
    /** A registration's number that none reaches. */
    private static final long NONE_NEW = Long.MAX_VALUE;
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final Random RANDOM = new Random(Randomness.seed());
    private static long sweeps;
    private static long sweepNs;
    /** When the last sweep after a collection began. */
    private static long lastCycleNs = System.nanoTime();
    private static long[] running = {};
    /** By group of {@link ThreadNames}: arrivals on live threads, and on dead ones less those before the last reset. */
    private static long[] runningByGroup = new long[Origin.GROUPS];
    private static final long[] FOLDED_BY_GROUP = new long[Origin.GROUPS];

    private Registry() {
    }

    static void lock() {
        LOCK.lock();
    }

    static void unlock() {
        LOCK.unlock();
    }

    /** Sweeps. {@code collected}: a collection has run since the last sweep, so the registration budgets start anew. */
    static void sweep(boolean collected) {
        LOCK.lock();
        long start = System.nanoTime();
        try {
            count();
            ClassEntry[] entries = ClassTable.entries();
            int[] counts = new int[entries.length];
            long renewFrom = collected ? renewFrom() : NONE_NEW;
            for (int i = 0; i < entries.length; i++) {
                if (entries[i].live) {
                    entries[i].absorb(renewFrom);
                    counts[i] = entries[i].count;
                }
            }
            int share = Budget.share(counts);
            for (ClassEntry e : entries) {
                if (e.count > share) {
                    e.thin(share, RANDOM);
                }
            }
            if (collected) {
                endCycle(entries, share, start);
            }
        } finally {
            sweeps++;
            sweepNs += System.nanoTime() - start;
            LOCK.unlock();
        }
    }

    /**
     * A collection was seen: references are renewed once, after the first one that they have survived, so that they stay
     * younger than their objects. Where survivors do not fit, as in the first collections of a program, the collector
     * promotes references whose objects are young still. Concurrent collectors look through all references alike.
     */
    private static long renewFrom() {
        CollectorBeans beans = CollectionClock.beans();
        return beans != null && beans.worksInPauses() ? Budget.firstSinceSweep() : NONE_NEW;
    }

    /** A collection was seen: sets the rates for the next cycle by what this one and the one before have in common. */
    private static void endCycle(ClassEntry[] entries, int share, long now) {
        int[] expected = new int[entries.length];
        for (int i = 0; i < entries.length; i++) {
            ClassEntry e = entries[i];
            e.endCycle(total(e));
            expected[i] = e.live ? e.expected() : 0;
        }
        CollectorBeans beans = CollectionClock.beans();
        int allowance = Budget.allowance(now - lastCycleNs, beans == null ? -1 : beans.meanPauseMs());
        int cut = Budget.cut(expected, allowance);
        for (ClassEntry e : entries) {
            if (e.live) {
                e.pace(cut, e.count < share / 4);
            }
        }
        lastCycleNs = now;
        NearestClass.collected(CollectionClock.full(), now);
        Budget.sweptAll(allowance);
        CollectionClock.swept();
    }

    /** Objects constructed, by id: exact for every thread whose last construction happened before the call. */
    static long[] allocated() {
        LOCK.lock();
        try {
            count();
            long[] allocated = new long[running.length];
            for (ClassEntry e : ClassTable.entries()) {
                if (e.id < allocated.length) {
                    allocated[e.id] = total(e);
                }
            }
            return allocated;
        } finally {
            LOCK.unlock();
        }
    }

    private static long total(ClassEntry e) {
        return e.folded + (e.id < running.length ? running[e.id] : 0) + e.shared.sum();
    }

    /** Objects constructed, by group of threads: exact in the sense of {@link #allocated}, which calls for it. */
    static long[] allocatedByGroup() {
        LOCK.lock();
        try {
            long[] groups = new long[Origin.GROUPS];
            for (int g = 0; g < groups.length; g++) {
                groups[g] = FOLDED_BY_GROUP[g] + runningByGroup[g];
            }
            for (ClassEntry e : ClassTable.entries()) {
                groups[ThreadNames.VIRTUAL] += e.shared.sum();
            }
            return groups;
        } finally {
            LOCK.unlock();
        }
    }

    /** {@code {young, full, start, end}} of the range in which an object was registered, or null if it has no reference. */
    static long[] age(Object o) {
        ClassEntry entry = ClassTable.entry(NearestClass.of(o.getClass()));
        if (entry == null) {
            return null;
        }
        LOCK.lock();
        try {
            if (CollectionClock.tick(false)) {
                sweep(true);
            } else {
                entry.absorb(NONE_NEW);
            }
            Tracked found = entry.find(o);
            if (found == null) {
                return null;
            }
            AgeRanges ranges = CollectionClock.ranges();
            int range = ranges.find(found.number);
            return new long[] {ranges.youngSince(range, CollectionClock.young()),
                ranges.fullSince(range, CollectionClock.full()), ranges.start(range), ranges.end(range)};
        } finally {
            LOCK.unlock();
        }
    }

    /** Objects may have been constructed that nobody saw: every class is an estimate from now on. */
    static void missed() {
        for (ClassEntry e : ClassTable.entries()) {
            e.lose();
        }
    }

    /** Starts every count at zero and forgets every reference, as if the program had just begun. */
    static void reset() {
        LOCK.lock();
        try {
            long[] allocated = allocated();
            long[] groups = allocatedByGroup();
            for (int g = 0; g < groups.length; g++) {
                FOLDED_BY_GROUP[g] -= groups[g];
            }
            for (ClassEntry e : ClassTable.entries()) {
                if (e.id < allocated.length) {
                    e.folded -= allocated[e.id];
                    e.forget();
                }
            }
        } finally {
            LOCK.unlock();
        }
    }

    /** All that takes memory, before anything is added: a dead thread's counters must not be added in part, and then again. */
    private static void makeEntries(long[] cells, int classes) {
        for (int id = 0; id < classes; id++) {
            if (cells[Stripe.cell(id)] != 0) {
                ClassTable.entry(id);
            }
        }
    }

    private static void count() {
        final long[] sums = new long[ClassTable.size()];
        final long[] groups = new long[Origin.GROUPS];
        Stripes.collect(new Stripes.Tally() {
            @Override
            public void add(Stripe stripe, boolean alive) {
                long[] cells = stripe.cells;
                long[] byGroup = alive ? groups : FOLDED_BY_GROUP;
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
                        entry.folded += arrivals;
                        // A dead thread whose last arrival was due but has drawn no new gap failed to register it.
                        if (entry.live && arrivals >= cells[cell + 1]) {
                            entry.lose();
                        }
                    }
                }
            }
        });
        running = sums;
        runningByGroup = groups;
    }

    /** Drops every reference and every stripe: the runtime is switched off for good. */
    static void abandon() {
        LOCK.lock();
        try {
            for (ClassEntry e : ClassTable.entries()) {
                e.forget();
            }
            Stripes.forget();
            NearestClass.forget();
        } finally {
            LOCK.unlock();
        }
    }

    static long sweeps() {
        return sweeps;
    }

    static long sweepMs() {
        return sweepNs / 1_000_000;
    }

    /** Bytes of the references and their arrays, estimated with compressed references: see package-info. */
    static long bytes() {
        long references = 0;
        for (ClassEntry e : ClassTable.entries()) {
            references += e.count;
        }
        return references * 52 + Stripes.alive() * (64L + 17L * ClassTable.size());
    }
}
