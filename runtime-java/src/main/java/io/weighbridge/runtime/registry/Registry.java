package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.Randomness;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.NearestClass;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.probe.Tracked;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The sweep: what turns counters and references into figures, and keeps both within bounds.
 *
 * <p>One sweep at a time, on the runtime's thread or on a measuring one; the program's threads never take its
 * lock. A sweep costs a few nanoseconds for each reference and stripe.
 */
public final class Registry {
    /** A registration's number that none reaches. */
    private static final long NONE_NEW = Long.MAX_VALUE;
    /** Classes all of whose objects are registered may make so many times what the busy ones may. */
    private static final int RARE = 3;
    /** So many registrations while counting do not show in the figures. */
    private static final int MEANWHILE = 200;
    private static final int ATTEMPTS = 5;
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final Random RANDOM = new Random(Randomness.seed());
    private static long sweeps;
    private static long sweepNs;
    /** When the last sweep after a collection began. */
    private static long lastCycleNs = System.nanoTime();
    private static final Totals TOTALS = new Totals();
    /** By class id; null for classes that no sweep has met. */
    private static SweptClass[] swept = {};

    private Registry() {
    }

    public static void lock() {
        LOCK.lock();
    }

    public static void unlock() {
        LOCK.unlock();
    }

    /** Sweeps. {@code collected}: a collection has run since the last sweep, so the registration budgets start anew. */
    public static void sweep(boolean collected) {
        LOCK.lock();
        long start = System.nanoTime();
        try {
            long until = countTogether();
            ClassEntry[] entries = ClassTable.entries();
            long[] counts = new long[entries.length];
            long renewFrom = collected ? renewFrom() : NONE_NEW;
            for (int i = 0; i < entries.length; i++) {
                ClassEntry e = entries[i];
                if (e.live) {
                    SweptClass s = of(e);
                    s.absorb(renewFrom, until, TOTALS.of(e));
                    if (collected) {
                        s.sample.settle();
                    }
                    counts[i] = s.sample.count;
                }
            }
            int share = Budget.fit(counts, Budget.cap(), Budget.perClass());
            for (ClassEntry e : entries) {
                if (of(e).sample.count > share) {
                    of(e).thin(share, RANDOM);
                }
            }
            if (collected) {
                endCycle(entries, until, start);
            }
        } finally {
            sweeps++;
            sweepNs += System.nanoTime() - start;
            LOCK.unlock();
        }
    }

    /**
     * Counts; registrations before the number that is given belong to what was counted, others do not. This thread may
     * lose its processor while it counts: then it counts again.
     */
    private static long countTogether() {
        for (int attempt = 1; ; attempt++) {
            long until = Budget.numbers();
            TOTALS.count();
            if (Budget.numbers() - until <= MEANWHILE || attempt == ATTEMPTS) {
                return until;
            }
        }
    }

    /**
     * A collection was seen: references are renewed once, after the first one that they have survived, so that they stay
     * younger than their objects. Where survivors do not fit, as in the first collections of a program, the collector
     * promotes references whose objects are young still. Concurrent collectors look through all references alike.
     */
    private static long renewFrom() {
        CollectorBeans beans = Management.collectors();
        return beans != null && beans.worksInPauses() ? Budget.firstSinceSweep() : NONE_NEW;
    }

    /**
     * A collection was seen: sets the rates for the next cycle by what this one and the one before have in common. Classes
     * of which all objects can be registered come first, and have more room.
     */
    private static void endCycle(ClassEntry[] entries, long until, long now) {
        int all = Budget.perCycle();
        long[] rare = new long[entries.length];
        long[] busy = new long[entries.length];
        for (int i = 0; i < entries.length; i++) {
            ClassEntry e = entries[i];
            SweptClass s = of(e);
            s.endCycle(TOTALS.of(e));
            long expected = e.live ? s.expected() : 0;
            rare[i] = expected <= all ? expected : 0;
            busy[i] = expected <= all ? 0 : s.wanted();
        }
        Budget.sweptAll(until, now - lastCycleNs);
        int allowance = Budget.allowance();
        int cut = Budget.fit(rare, RARE * allowance, all);
        int cutOfBusy = Math.min(cut, Budget.fit(busy, allowance, all));
        for (int i = 0; i < entries.length; i++) {
            ClassEntry e = entries[i];
            if (e.live && of(e).pace(busy[i] > 0 ? (int) Math.min(busy[i], cutOfBusy) : cut)) {
                Stripes.redraw(e.id, e.shift());
            }
        }
        lastCycleNs = now;
        NearestClass.collected(CollectionClock.full(), now);
        CollectionClock.swept();
    }

    /** What the sweep keeps of a class. Call under the lock. */
    public static SweptClass of(ClassEntry e) {
        if (e.id >= swept.length) {
            swept = Arrays.copyOf(swept, ClassTable.size());
        }
        SweptClass known = swept[e.id];
        if (known == null) {
            known = new SweptClass(e);
            swept[e.id] = known;
        }
        return known;
    }

    /** Objects constructed, by id: exact for every thread whose last construction happened before the call. */
    public static long[] allocated() {
        LOCK.lock();
        try {
            TOTALS.count();
            return TOTALS.byClass();
        } finally {
            LOCK.unlock();
        }
    }

    /** Objects constructed, by group of threads: exact in the sense of {@link #allocated}, which calls for it. */
    public static long[] allocatedByGroup() {
        LOCK.lock();
        try {
            return TOTALS.byGroup();
        } finally {
            LOCK.unlock();
        }
    }

    /** {@code {young, full, start, end}} of the range in which an object was registered, or null if it has no reference. */
    public static long[] age(Object o) {
        ClassEntry entry = ClassTable.entry(NearestClass.of(o.getClass()));
        if (entry == null) {
            return null;
        }
        LOCK.lock();
        try {
            if (CollectionClock.tick(false)) {
                sweep(true);
            } else {
                of(entry).absorb(NONE_NEW, Budget.numbers(), TOTALS.of(entry));
            }
            Tracked found = of(entry).sample.find(o);
            if (found == null) {
                return null;
            }
            AgeRanges ranges = CollectionClock.ranges();
            int range = ranges.find(found.number());
            return new long[] {ranges.youngSince(range, CollectionClock.young()),
                ranges.fullSince(range, CollectionClock.full()), ranges.start(range), ranges.end(range)};
        } finally {
            LOCK.unlock();
        }
    }

    /** Objects may have been constructed that nobody saw: every class is an estimate from now on. */
    public static void missed() {
        for (ClassEntry e : ClassTable.entries()) {
            e.lose();
        }
    }

    /** Starts every count at zero and forgets every reference, as if the program had just begun. */
    public static void reset() {
        LOCK.lock();
        try {
            TOTALS.count();
            TOTALS.reset();
            for (ClassEntry e : ClassTable.entries()) {
                of(e).forget();
            }
        } finally {
            LOCK.unlock();
        }
    }

    /** Drops every reference and every stripe: the runtime is switched off for good. */
    public static void abandon() {
        LOCK.lock();
        try {
            for (ClassEntry e : ClassTable.entries()) {
                of(e).forget();
            }
            Stripes.forget();
            NearestClass.forget();
        } finally {
            LOCK.unlock();
        }
    }

    public static long sweeps() {
        return sweeps;
    }

    public static long sweepMs() {
        return sweepNs / 1_000_000;
    }

    /** Bytes of the references and their arrays, estimated with compressed references: see package-info. */
    public static long bytes() {
        long references = 0;
        for (ClassEntry e : ClassTable.entries()) {
            references += of(e).sample.count;
        }
        return references * 52 + Stripes.alive() * (64L + 17L * ClassTable.size());
    }
}
