package io.weighbridge.runtime;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * One instrumented class of which an object was constructed, or a subclass: what the table says of it, and the part of
 * its registry that threads share.
 *
 * <p>Any thread may register; the methods of the sweep assume its lock. Registering is lock-free: a push on a
 * list that the sweep takes over whole.
 */
final class ClassEntry {
    /** Above this one object in a million is registered; no heap is so large that a budget asks for less. */
    static final int MAX_SHIFT = 20;
    private static final Tracked[] NOTHING = {};

    final int id;
    /** Dotted binary name. */
    final String name;
    /** Null if the class belongs to no component. */
    final String component;
    final boolean live;
    /** The only fields through which an object of this class is entered, or null for all. */
    final String[] fields;
    final String jar;
    /** The class whose constructors register objects of subclasses that are not instrumented: itself, or one above it. */
    final int registrar;
    /** Its constructors cannot tell its own objects from those of subclasses (docs/probe-contract.md). */
    final boolean blind;

    /** Arrivals on threads that have no stripe. */
    final LongAdder shared = new LongAdder();
    private final FreshList fresh = new FreshList();
    /** Registrations since the last sweep after a collection, or since they last raised the sampling shift. */
    final AtomicInteger since = new AtomicInteger();
    private final AtomicInteger shift = new AtomicInteger();
    /** Some object that may still live has no reference behind it: once true, for good. */
    private volatile boolean sampled;

    /** Survivors of the last sweep, dense up to {@link #count}. Both belong to the sweep. */
    Tracked[] kept = NOTHING;
    int count;
    /** Arrivals of stripes whose threads have died, less those before the last reset. Belongs to the sweep. */
    long folded;
    /** What was allocated when the last collection was seen, and between the one before and that. Belong to the sweep. */
    long atCollection;
    long lastCycle;
    /** {@link #lastCycle} of the cycle before: both say how many to expect. */
    private long cycleBefore;
    /** Shallow bytes of an instance of the class itself; 0 until a measurement has asked. Belongs to the measuring thread. */
    long instanceBytes;

    /** {@code base}: the first id of its jar. */
    ClassEntry(int id, int base, ClassLines.Line line, String jar) {
        this.id = id;
        this.name = line.name;
        this.live = line.live;
        this.component = line.component;
        this.fields = line.fields;
        this.jar = jar;
        this.registrar = line.registrar < 0 ? id : base + line.registrar;
        this.blind = line.blind;
    }

    /** The sampling shift in force: one arrival in 2<sup>shift</sup> is registered. */
    int shift() {
        return shift.get();
    }

    /** Every live object of the class has a reference of weight 1. */
    boolean exact() {
        return !sampled;
    }

    /** An object was counted, or will be, that has no reference. */
    void lose() {
        if (!sampled) {
            sampled = true;
        }
    }

    void register(Object o, int shiftAtDraw, int origin) {
        long number = Budget.number();
        Tracked t = new Tracked(o, shiftAtDraw, number, origin, AllocationSites.here());
        fresh.push(t);
        int registered = since.incrementAndGet();
        if (registered > Budget.limit(Budget.sinceSweep(number))) {
            if (since.compareAndSet(registered, 0)) {
                raise();
            }
        }
        Tags.registered(Origin.tags(origin), 1L << shiftAtDraw);
    }

    /** For a thread without a stripe: every arrival is a draw of its own, which needs no state between arrivals. */
    void registerShared(Object o) {
        int s = shift.get();
        if (s == 0 || Randomness.chance(ThreadLocalRandom.current().nextLong(), s)) {
            try {
                register(o, s, Origin.of(ThreadNames.VIRTUAL, Tags.current()));
            } catch (Throwable noMemoryOrStack) {
                lose();
            }
        } else {
            lose();
        }
    }

    /** Halves the share of arrivals that are registered from now on; gaps already drawn keep theirs. */
    void raise() {
        int s;
        do {
            s = shift.get();
        } while (s < MAX_SHIFT && !shift.compareAndSet(s, s + 1));
    }

    /** Sweep: the reference to an object, or null. */
    Tracked find(Object o) {
        for (int i = 0; i < count; i++) {
            if (kept[i].get() == o) {
                return kept[i];
            }
        }
        return null;
    }

    /** Sweep: a collection was seen when this much had been allocated. */
    void endCycle(long allocated) {
        cycleBefore = lastCycle;
        lastCycle = allocated - atCollection;
        atCollection = allocated;
    }

    /** Sweep: registrations to expect in the next cycle at the rate in force: what the last two cycles had in common. */
    int expected() {
        return registrations(Math.min(lastCycle, cycleBefore), shift.get());
    }

    /**
     * Sweep: sets the rate for the next cycle, so that at most {@code most} objects are registered if it is like the last
     * two. One burst does not lower the rate, one quiet cycle does not raise it; it rises only by half of what there is
     * room for, and only with room for the references, too.
     */
    void pace(int most, boolean roomToKeep) {
        since.set(0);
        while (expected() > most && shift.get() < MAX_SHIFT) {
            raise();
        }
        int s = shift.get();
        if (s > 0 && roomToKeep && registrations(Math.max(lastCycle, cycleBefore), s - 1) <= most / 2) {
            shift.compareAndSet(s, s - 1);
        }
    }

    private static int registrations(long arrivals, int atShift) {
        return (int) Math.min(Integer.MAX_VALUE / 2, arrivals >> atShift);
    }

    /**
     * Sweep: takes over what was registered since, drops what was collected, and renews references from the number
     * {@code renewFrom} on.
     */
    void absorb(long renewFrom) {
        int live = 0;
        for (int i = 0; i < count; i++) {
            Tracked t = current(kept[i], renewFrom);
            if (t != null) {
                // Writing it where it is would dirty the card, which the next collection scans.
                if (kept[live] != t) {
                    kept[live] = t;
                }
                live++;
            }
        }
        int before = count;
        count = live;
        for (Tracked t = fresh.takeAll(); t != null; ) {
            Tracked following = t.next;
            t.next = null;
            Tracked current = current(t, renewFrom);
            if (current != null) {
                add(current);
            }
            t = following;
        }
        truncate(before);
    }

    private static Tracked current(Tracked t, long renewFrom) {
        if (Cleared.is(t)) {
            return null;
        }
        return t.number < renewFrom ? t : t.renewed();
    }

    /**
     * Sweep: keeps at most about {@code limit} references, raising the lightest to a common weight first, which
     * gives the least variance for the number. Each reference is kept with probability 2<sup>-k</sup> and stands
     * for 2<sup>k</sup> times as much, so expectations do not move.
     */
    void thin(int limit, Random random) {
        int target = targetShift(limit);
        int left = 0;
        int before = count;
        for (int i = 0; i < before; i++) {
            Tracked t = kept[i];
            int k = target - t.shift();
            if (k > 0) {
                if (!Randomness.chance(random.nextLong(), k)) {
                    continue;
                }
                t.raise(target);
            }
            kept[left++] = t;
        }
        count = left;
        sampled = true;
        truncate(before);
        while (shift.get() < Math.min(target, MAX_SHIFT)) {
            raise();
        }
    }

    private int targetShift(int limit) {
        int[] byShift = new int[64];
        for (int i = 0; i < count; i++) {
            byShift[kept[i].shift()]++;
        }
        for (int target = 1; target < 62; target++) {
            double expected = 0;
            for (int s = 0; s < byShift.length; s++) {
                expected += byShift[s] / (double) (1L << Math.max(0, target - s));
            }
            if (expected <= limit * 0.75) {
                return target;
            }
        }
        return 62;
    }

    private void add(Tracked t) {
        if (count == kept.length) {
            kept = Arrays.copyOf(kept, Math.max(16, count + (count >> 1)));
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

    /** Sweep: forgets every reference, so that the class starts anew. */
    void forget() {
        fresh.takeAll();
        kept = NOTHING;
        count = 0;
        since.set(0);
        shift.set(0);
        atCollection = 0;
        lastCycle = 0;
        cycleBefore = 0;
        sampled = false;
    }
}
