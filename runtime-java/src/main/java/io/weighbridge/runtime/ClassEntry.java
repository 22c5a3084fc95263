package io.weighbridge.runtime;

import java.lang.invoke.VarHandle;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
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
    /** Why a class is sampled: it constructs too many objects between two collections, too many of them live, or an accident. */
    private static final String TOO_MANY_AT_ONCE = "rate";
    private static final String TOO_MANY_ALIVE = "share";
    private static final String LOST = "lost";
    /** Who joins or takes new references, by the last bits of the id: 1 while somebody does. */
    private static final AtomicIntegerArray LOCKS = new AtomicIntegerArray(64);
    /** References of a cycle with which deaths of a part of the objects are noticed. */
    private static final int FEW = 32;
    private static final int ATTEMPTS = 10_000;

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
    /** New references of this cycle that were not joined, roughly. */
    final AtomicInteger since = new AtomicInteger();
    private final AtomicInteger shift = new AtomicInteger();
    /** Some object that may still live has no reference behind it: true until the JVM has counted otherwise ({@link #calibrate}). */
    private volatile boolean sampled;

    /** References made at most in this cycle before half of them are joined. */
    private volatile int most = Budget.perClass();
    private volatile String why;
    private int wanted = Budget.perCycle();
    /** Belongs to the sweep. */
    Sample sample = new Sample();
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

    /** Every live object of the class has a reference that stands for it alone. */
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
        fresh.push(new Tracked(o, 1L << shiftAtDraw, number, origin, AllocationSites.here()));
        int limit = Budget.limit(most, number);
        if (since.incrementAndGet() > limit) {
            halve(limit);
        }
        Tags.registered(Origin.tags(origin), 1L << shiftAtDraw);
    }

    /**
     * The class has made more references since the last collection than it may: half of them go, the others stand for twice
     * as much, and half as many are made from now on. So those that are left are spread evenly over its objects, and a
     * collection looks through few.
     */
    private void halve(int limit) {
        if (!LOCKS.compareAndSet(id & LOCKS.length() - 1, 0, 1)) {
            return;
        }
        try {
            if (since.get() > limit) {
                Random random = ThreadLocalRandom.current();
                raise();
                since.set(limit / 2);
                Thinning thinning = new Thinning(1L << shift.get(), random);
                int gone = 0;
                for (Tracked t = fresh.takeAll(); t != null; ) {
                    Tracked following = t.next;
                    Tracked left = thinning.add(t);
                    if (left != null) {
                        fresh.push(left);
                    } else {
                        gone++;
                    }
                    t = following;
                }
                Tracked left = thinning.end();
                if (left != null) {
                    fresh.push(left);
                    gone--;
                }
                Budget.dropped(gone);
            }
        } finally {
            LOCKS.set(id & LOCKS.length() - 1, 0);
        }
    }

    /** For a thread without a stripe: every arrival is a draw of its own, which needs no state between arrivals. */
    void registerShared(Object o) {
        registerShared(o, Origin.of(ThreadNames.VIRTUAL, Tags.current()));
    }

    /** The same for a thread whose stripe has no counters for the class. */
    void registerShared(Object o, int origin) {
        int s = shift.get();
        if (s == 0 || Randomness.chance(ThreadLocalRandom.current().nextLong(), s)) {
            try {
                register(o, s, origin);
            } catch (Throwable noMemoryOrStack) {
                lose();
            }
        } else {
            lose();
        }
    }

    /** Halves the share of arrivals that are registered from now on; gaps already drawn keep theirs. */
    private void raise() {
        int s = shift.get();
        if (s < MAX_SHIFT && shift.compareAndSet(s, s + 1) && why == null) {
            why = TOO_MANY_AT_ONCE;
        }
    }

    /** Sweep: a collection was seen when this much had been allocated. */
    void endCycle(long allocated) {
        cycleBefore = lastCycle;
        lastCycle = allocated - atCollection;
        atCollection = allocated;
    }

    /** Sweep: objects to expect in the next cycle: as many as the last two cycles had in common. */
    long expected() {
        return Math.min(lastCycle, cycleBefore);
    }

    /**
     * Sweep: references that a cycle of a class with more objects should have: as many as keep the standard error of its
     * figure at about a twentieth, or at fifty objects.
     */
    int wanted() {
        double error = Math.sqrt(sample.variance()) / Math.max(sample.live(), 1000);
        double grown = wanted * (error > 0.06 ? 1.5 : error < 0.04 ? 0.8 : 1);
        wanted = (int) Math.max(FEW, Math.min(grown, Budget.perCycle()));
        return wanted;
    }

    /**
     * Sweep: sets the rate for the next cycle, so that at most {@code references} are made if it is like the last two; true
     * if it rises. One burst does not lower the rate, one quiet cycle does not raise it.
     */
    boolean pace(int references) {
        since.set(0);
        int before = shift.get();
        int lowest = shiftFor(Math.min(lastCycle, cycleBefore), references);
        int highest = shiftFor(Math.max(lastCycle, cycleBefore), references);
        int now = Math.min(Math.max(before, lowest), Math.max(highest, lowest));
        if (now != before) {
            shift.set(now);
        }
        // A class that is not known to be busy may have its burst.
        most = Math.min((now == 0 ? 4 : 2) * references, Budget.perClass());
        if (now > 0) {
            why = TOO_MANY_AT_ONCE;
        }
        return now < before;
    }

    private static int shiftFor(long objects, int references) {
        int s = 0;
        while (s < MAX_SHIFT && objects >> s > references) {
            s++;
        }
        return s;
    }

    /**
     * Sweep: takes over what was registered with numbers before {@code until}, when so many had been constructed, and drops
     * what was collected.
     */
    void absorb(long renewFrom, long until, long constructed) {
        int lock = id & LOCKS.length() - 1;
        for (int attempt = 0; !LOCKS.compareAndSet(lock, 0, 1); attempt++) {
            if (attempt == ATTEMPTS) {
                return; // A thread was stopped while it joined references: they come with the next sweep.
            }
            Thread.yield();
        }
        Tracked chain;
        try {
            chain = fresh.takeAll();
        } finally {
            LOCKS.set(lock, 0);
        }
        Tracked earlier = null;
        for (Tracked t = chain; t != null; ) {
            Tracked following = t.next;
            if (t.number() < until) {
                t.next = earlier;
                earlier = t;
            } else {
                fresh.push(t);
            }
            t = following;
        }
        sample.absorb(earlier, renewFrom, constructed);
    }

    /** Sweep: joins references until about {@code limit} are left. */
    void thin(int limit, Random random) {
        sample.thin(limit, random);
        why = why == null ? TOO_MANY_ALIVE : why;
        sampled = true;
    }

    /**
     * Sweep: the JVM has counted the class's objects. If each has a reference and none is passed over any more, the class
     * is exact from now on.
     */
    void calibrate(long live) {
        if (sample.calibrate(live) && sampled && shift.get() == 0) {
            sampled = false;
            // As in Stripe.draw: either this sees the gap of a thread that passes objects over, or it sees this.
            VarHandle.fullFence();
            if (Stripes.passesOver(id)) {
                sampled = true;
            } else {
                why = null;
            }
        }
    }

    /** Why some object may have no reference, for a class that is not exact: a word of the recording's format. */
    String why() {
        return why == null ? LOST : why;
    }

    /** Sweep: forgets every reference, so that the class starts anew. */
    void forget() {
        fresh.takeAll();
        sample = new Sample();
        since.set(0);
        shift.set(0);
        most = Budget.perClass();
        wanted = Budget.perCycle();
        atCollection = 0;
        lastCycle = 0;
        cycleBefore = 0;
        sampled = false;
        why = null;
    }
}
