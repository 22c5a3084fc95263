package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.Randomness;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.ClonesProbe;
import io.weighbridge.runtime.probe.NearestClass;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.probe.Tracked;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The sweep: turns counters and references into figures, and keeps both within bounds.
 *
 * <p>There is one in a JVM, because there is one set of probes. One sweep at a time, on the runtime's thread or on a
 * measuring one; the program's threads never take its lock. A sweep costs a few nanoseconds for each reference and stripe.
 */
public final class Registry {
    /** Larger than any registration's number. */
    private static final long NONE_NEW = Long.MAX_VALUE;
    /** Rare classes, all of whose objects are registered, may make so many times what the busy ones may. */
    private static final int RARE = 3;
    /** So many registrations while counting do not show in the figures. */
    private static final int MEANWHILE = 200;
    private static final int ATTEMPTS = 5;
    /** Guarded by the lock, but for {@link CollectionClock#await}. */
    public final CollectionClock clock = new CollectionClock();
    private final ReentrantLock lock = new ReentrantLock();
    private final Random random = new Random(Randomness.seed());
    private long sweeps;
    private long sweepNs;
    /** When the last sweep after a collection began. */
    private long lastCycleNs = System.nanoTime();
    private final Totals totals = new Totals();
    /** By class id; null for classes that no sweep has met. */
    private SweptClass[] swept = {};

    /** Waits until no sweep runs. The lock may be taken again by its holder. */
    public void lock() {
        lock.lock();
    }

    /** Once for each {@link #lock}. */
    public void unlock() {
        lock.unlock();
    }

    /** Sweeps. {@code collected}: a collection has run since the last sweep, so the registration budgets start anew. */
    public void sweep(boolean collected) {
        lock.lock();
        long start = System.nanoTime();
        try {
            long until = countTogether();
            ClassTable.takeLoaded();
            ClassEntry[] entries = ClassTable.entries();
            long[] counts = new long[entries.length];
            long renewFrom = collected ? renewFrom() : NONE_NEW;
            for (int i = 0; i < entries.length; i++) {
                ClassEntry e = entries[i];
                if (e.live) {
                    SweptClass s = of(e);
                    s.absorb(renewFrom, until, totals.of(e));
                    s.mark(clock.markings, totals.of(e));
                    // While a walk holds objects, a collection says nothing of them.
                    if (collected && !clock.markings.isHeld()) {
                        s.sample.afterCollection(e.exact());
                    }
                    counts[i] = s.sample.count;
                }
            }
            int share = Budget.fit(counts, Budget.cap(), Budget.perClass());
            for (ClassEntry e : entries) {
                if (of(e).sample.count > share) {
                    of(e).thin(share, random);
                }
            }
            if (collected) {
                endCycle(entries, until, start);
            }
        } finally {
            sweeps++;
            sweepNs += System.nanoTime() - start;
            lock.unlock();
        }
    }

    /**
     * Counts, and gives a number: registrations before it belong to what was counted, others do not. If this thread loses its
     * processor while it counts, it counts again.
     */
    private long countTogether() {
        for (int attempt = 1; ; attempt++) {
            long until = Budget.numbers();
            totals.count();
            if (Budget.numbers() - until <= MEANWHILE || attempt == ATTEMPTS) {
                return until;
            }
        }
    }

    /**
     * A collection was seen. References are renewed once, after the first collection that they have survived, so that they
     * stay younger than their objects. Where survivors do not fit, as in the first collections of a program, the collector
     * promotes references whose objects are still young. Concurrent collectors look through all references alike.
     */
    private long renewFrom() {
        CollectorBeans beans = Management.collectors();
        return beans != null && beans.worksInPauses() ? Budget.firstSinceSweep() : NONE_NEW;
    }

    /**
     * A collection was seen: sets the rates for the next cycle by what this one and the one before have in common. Classes
     * whose objects can all be registered come first and have more room.
     */
    private void endCycle(ClassEntry[] entries, long until, long now) {
        int all = Budget.perCycle();
        long[] rare = new long[entries.length];
        long[] busy = new long[entries.length];
        for (int i = 0; i < entries.length; i++) {
            ClassEntry e = entries[i];
            SweptClass s = of(e);
            s.endCycle(totals.of(e));
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
        NearestClass.collected(clock.full(), now);
        clock.swept();
    }

    /** What the sweep keeps of a class. Call under the lock. */
    public SweptClass of(ClassEntry e) {
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
    public long[] allocated() {
        lock.lock();
        try {
            totals.count();
            return totals.byClass();
        } finally {
            lock.unlock();
        }
    }

    /** Objects constructed, by group of threads: exact in the sense of {@link #allocated}, which calls for it. */
    public long[] allocatedByGroup() {
        lock.lock();
        try {
            return totals.byGroup();
        } finally {
            lock.unlock();
        }
    }

    /** {@code {young, full, start, end}} of the range in which an object was registered, or null if it has no reference. */
    public long[] age(Object o) {
        ClassEntry entry = ClassTable.entry(NearestClass.of(o.getClass()));
        if (entry == null) {
            return null;
        }
        lock.lock();
        try {
            if (clock.tick(false)) {
                sweep(true);
            } else {
                of(entry).absorb(NONE_NEW, Budget.numbers(), totals.of(entry));
            }
            Tracked found = of(entry).sample.find(o);
            if (found == null) {
                return null;
            }
            AgeRanges ranges = clock.ranges();
            int range = ranges.find(found.number());
            return new long[] {ranges.youngSince(range, clock.young()),
                ranges.fullSince(range, clock.full()), ranges.start(range), ranges.end(range)};
        } finally {
            lock.unlock();
        }
    }

    /** Objects may have been constructed unseen: every class is an estimate from now on. */
    public void missed() {
        for (ClassEntry e : ClassTable.entries()) {
            e.lose();
        }
    }

    /** A walk begins, which holds tracked objects: collections until the {@link #release} are no evidence that they live. */
    public void hold() {
        lock.lock();
        try {
            clock.markings.hold();
        } finally {
            lock.unlock();
        }
    }

    /** A walk has ended. The next full collection is evidence again, even if nobody looks before it. */
    public void release() {
        lock.lock();
        try {
            clock.markings.release();
            clock.tick(false);
        } finally {
            lock.unlock();
        }
    }

    /** What was registered before this number, and is not collected, is known to live: a collection began then and ended. */
    public void marked(long next, long atNs) {
        lock.lock();
        try {
            clock.markings.found(next, atNs, Budget.numbers(), System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** A collection is about to be asked for, or has ended. No sweep of the ticking thread runs between. */
    public void collecting(boolean begins) {
        lock.lock();
        try {
            clock.collecting(begins);
        } finally {
            lock.unlock();
        }
    }

    /** Starts every count at zero and forgets every reference, as if the program had just begun. */
    public void reset() {
        lock.lock();
        try {
            totals.count();
            totals.reset();
            clock.markings.forget();
            for (ClassEntry e : ClassTable.entries()) {
                of(e).forget();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Drops every reference and every stripe: the runtime is switched off for good. */
    public void abandon() {
        lock.lock();
        try {
            for (ClassEntry e : ClassTable.entries()) {
                of(e).forget();
            }
            Stripes.forget();
            NearestClass.abandon();
            ClonesProbe.abandon();
        } finally {
            lock.unlock();
        }
    }

    /** Sweeps so far. */
    public long sweeps() {
        return sweeps;
    }

    /** Milliseconds that they took. */
    public long sweepMs() {
        return sweepNs / 1_000_000;
    }

    /** Bytes of the references and their arrays, estimated with compressed references: see package-info. */
    public long bytes() {
        long references = 0;
        for (ClassEntry e : ClassTable.entries()) {
            references += of(e).sample.count;
        }
        return references * 52 + Stripes.alive() * (64L + 17L * ClassTable.size());
    }
}
