package io.weighbridge.runtime.probe;

import io.weighbridge.runtime.jvm.Randomness;
import io.weighbridge.runtime.link.ClassLines;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * One instrumented class of which objects were constructed (or of a subclass): what the table says of it, and the part of
 * its registry that threads share.
 *
 * <p>Any thread may register; methods marked as the sweep's assume its lock. Registering is lock-free: it pushes on a list
 * that the sweep takes as a whole.
 */
public final class ClassEntry {
    /** At this one object in a million is registered; no heap is so large that a budget needs less. */
    public static final int MAX_SHIFT = 20;
    /** Why a class is sampled: it constructs too many objects in a cycle, too many of them live, or some were missed. */
    private static final String TOO_MANY_AT_ONCE = "rate";
    private static final String TOO_MANY_ALIVE = "share";
    private static final String LOST = "lost";
    /** Code without probes may have copied objects of the class. */
    private static final String COPIES = "copies";
    /** Locks for joining and taking new references, by the last bits of the id: 1 while one is held. */
    private static final AtomicIntegerArray LOCKS = new AtomicIntegerArray(64);
    private static final int ATTEMPTS = 10_000;
    /** No reference but an answer of {@link #takeFresh}. */
    public static final Tracked LATER = new Tracked(null, 1, 0, 0, null);

    /** As in the recording. */
    public final int id;
    /** Dotted binary name. */
    public final String name;
    /** Null if the class belongs to no component. */
    public final String component;
    /** Tracked, not only counted. */
    public final boolean live;
    /** The only fields through which an object of this class is entered, or null for all. */
    public final String[] fields;
    final String jar;
    /** The class whose constructors register objects of subclasses that are not instrumented: itself, or one above it. */
    final int registrar;
    /** Its constructors cannot tell its own objects from those of subclasses (docs/probe-contract.md). */
    final boolean blind;
    /** It overrides {@code clone()}. */
    final boolean clones;

    /** Arrivals on threads that have no stripe. */
    public final LongAdder shared = new LongAdder();
    private final FreshList fresh = new FreshList();
    /** About how many new references of this cycle there are. */
    final AtomicInteger since = new AtomicInteger();
    private final AtomicInteger shift = new AtomicInteger();
    /** Some object that may still live has no reference. True until the JVM has counted otherwise ({@link #complete}). */
    private volatile boolean sampled;
    /** Copies may have been made that nothing has counted. */
    private volatile boolean missesCopies;

    /** References made at most in this cycle before half of them are joined. */
    private volatile int most = Budget.perClass();
    private volatile String why;
    /** Whether objects of a class may be copied and not counted: {@link ClonesProbe} tells who knows that. */
    private static volatile Predicate<Class<?>> mayMissCopies = type -> false;
    /** Objects that existed before the native agent came, and those that no constructor announced. For the sweep. */
    private long before;
    private long unannounced;
    private volatile boolean leavesBeforeOut;

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
        this.clones = line.clones;
    }

    /** The sampling shift in force: one arrival in 2<sup>shift</sup> is registered. */
    public int shift() {
        return shift.get();
    }

    /** Every live object of the class has a reference that stands for it alone, and none was made that is not counted. */
    public boolean exact() {
        return !sampled && !missesCopies;
    }

    /** Nothing is known of its copies any more. */
    void judgeCopiesAnew() {
        missesCopies = false;
    }

    /** Every object that was counted and lives has a reference that stands for it alone. */
    public boolean tracksAll() {
        return !sampled;
    }

    /** From now on this says whether objects of a class may be copied and not counted. */
    static void judgeCopiesBy(Predicate<Class<?>> test) {
        mayMissCopies = test;
    }

    /** An object of this class counts here: its own, or one below it. */
    void meet(Class<?> type) {
        if (!missesCopies && mayMissCopies.test(type)) {
            missesCopies = true;
        }
    }

    /** An object was counted, or will be, that has no reference. */
    public void lose() {
        if (!sampled) {
            sampled = true;
        }
    }

    /** Registers an object that stands for 2<sup>shift</sup> of its class. For any thread. */
    void register(Object o, int shiftAtDraw, int origin) {
        if (o instanceof Cloneable) {
            meet(o.getClass());
        }
        long number = Budget.number();
        fresh.push(new Tracked(o, 1L << shiftAtDraw, number, origin, AllocationSites.here()));
        int limit = Budget.limit(most, number);
        if (since.incrementAndGet() > limit) {
            halve(limit);
        }
        Tags.registered(Origin.tags(origin), 1L << shiftAtDraw);
    }

    /**
     * The class has made more references since the last collection than it may. Half of them go, the others stand for twice
     * as much, and half as many are made from now on. So the references that are left are spread evenly over its objects,
     * and a collection has few to look through.
     */
    private void halve(int limit) {
        if (!LOCKS.compareAndSet(id & LOCKS.length() - 1, 0, 1)) {
            return;
        }
        try {
            if (since.get() > limit) {
                Random random = ThreadLocalRandom.current();
                raise();
                // Perhaps no object is passed over any more, but half of them lose their references now. After the rate: either
                // a sweep that has just called the class exact sees it, or that was before.
                lose();
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

    /** For a thread without a stripe. Every arrival is drawn by itself, which needs no state between arrivals. */
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

    /**
     * Sweep: takes what was registered with numbers before {@code until}, linked, the oldest first. Gives {@link #LATER} if a
     * thread was stopped while it joined references: the next sweep gets them.
     */
    public Tracked takeFresh(long until) {
        int lock = id & LOCKS.length() - 1;
        for (int attempt = 0; !LOCKS.compareAndSet(lock, 0, 1); attempt++) {
            if (attempt == ATTEMPTS) {
                return LATER;
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
        return earlier;
    }

    /**
     * Sweep: sets the rate for the next cycle, in which {@code references} are expected: a shift from {@code lowest} to
     * {@code highest}. True if the rate rises.
     */
    public boolean pace(int lowest, int highest, int references) {
        since.set(0);
        int before = shift.get();
        int now = Math.min(Math.max(before, lowest), Math.max(highest, lowest));
        if (now != before) {
            shift.set(now);
        }
        // A class that is not known to be busy may have a burst.
        most = Math.min((now == 0 ? 4 : 2) * references, Budget.perClass());
        if (now > 0) {
            why = TOO_MANY_AT_ONCE;
        }
        return now < before;
    }

    /** Sweep: references that it has taken were joined. */
    public void thinned() {
        why = why == null ? TOO_MANY_ALIVE : why;
        sampled = true;
    }

    /** Sweep: the class is not exact, but every object is registered at the present rate. */
    public boolean mayBeExact() {
        return sampled && shift.get() == 0;
    }

    /** Sweep: each object has a reference. {@link #lose} may say at any time that one has none. */
    public void complete() {
        sampled = false;
    }

    /** Sweep: the class has stayed exact. */
    public void forgetWhy() {
        why = null;
    }

    /** Why some object may have no reference, for a class that is not exact: a word of the recording's format. */
    public String why() {
        return why != null ? why : sampled ? LOST : COPIES;
    }

    /**
     * Sweep: takes in objects that no constructor has announced; together they stand for {@code number}. They count as arrivals,
     * so that figures add up; {@link #before} and {@link #unannounced} tell them from constructed ones. {@code first}: the agent has
     * come; {@code olderThan}: they existed before the registration with this number.
     */
    public void adopt(List<Object> objects, long number, float weight, boolean first, long olderThan) {
        shared.add(number);
        if (first) {
            before += number;
        } else {
            unannounced += number;
        }
        if (weight > 1) {
            lose();
        }
        int nobody = Origin.of(ThreadNames.OTHER, Tags.NONE);
        for (Object o : objects) {
            if (o instanceof Cloneable) {
                meet(o.getClass());
            }
            fresh.push(new Tracked(o, weight, Math.max(0, Math.min(Budget.number(), olderThan - 1)), nobody, null));
        }
    }

    /** Objects that existed before the native agent came. */
    public long before() {
        return before;
    }

    /** Objects that existed before the native agent came stay unknown. */
    public void leaveBeforeOut() {
        leavesBeforeOut = true;
    }

    /** Whether such objects may exist. Counts of the whole heap have them too, and say nothing of this class's figures. */
    public boolean leavesBeforeOut() {
        return leavesBeforeOut;
    }

    /** Objects that no constructor announced, found by the native agent. */
    public long unannounced() {
        return unannounced;
    }

    /** Sweep: forgets every reference that it has not taken; the class starts anew. */
    public void forget() {
        fresh.takeAll();
        since.set(0);
        shift.set(0);
        most = Budget.perClass();
        sampled = false;
        why = null;
        before = 0;
        unannounced = 0;
    }
}
