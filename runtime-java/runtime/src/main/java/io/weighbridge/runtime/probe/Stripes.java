package io.weighbridge.runtime.probe;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The stripes of all platform threads: how a probe finds its own, and how the sweep reads them.
 *
 * <p>A probe looks in {@link #THREADS} under its thread's id and, if it finds its thread, takes the counters beside it.
 * It needs no order between the two: only a slot's thread writes its counters, and another thread gets the slot only when
 * that one is dead. Threads that find theirs taken, and virtual threads, take the slow path; virtual ones share a
 * {@code LongAdder} per class. Stripes of dead threads are folded into the classes' totals by each sweep.
 *
 * <p>Two arrays, instead of one of stripes, save a load on which the next one depends (docs/decisions/0017).
 */
public final class Stripes {
    /** Of more live threads than this some collide. They look up a thread-local instead. */
    private static final int CACHED = 1024;
    static final int MASK = CACHED - 1;
    static final Thread[] THREADS = new Thread[CACHED];
    /** {@link Stripe#cells} of each slot's thread; never null. */
    static final long[][] CELLS = new long[CACHED][];
    private static final Stripe[] STRIPES = new Stripe[CACHED];
    private static final long[] NO_CELLS = {};
    /** Held to take a slot or to give it up. */
    private static final Object SLOTS = new Object();
    /** If not, no probe finds a stripe, and the slow path counts nothing. */
    private static volatile boolean enabled = true;
    /** Weak, so that no thread keeps the runtime when it is gone; {@link #FRESH} and {@link #SEEN} hold the stripe. */
    private static final ThreadLocal<WeakReference<Stripe>> OWN = new ThreadLocal<>();
    private static final AtomicReference<Stripe> FRESH = new AtomicReference<>();
    private static final Class<?> VIRTUAL_THREAD = virtualThread();
    /** Guarded by the sweep's lock. */
    private static final ArrayList<Stripe> SEEN = new ArrayList<>();

    static {
        Arrays.fill(CELLS, NO_CELLS);
    }

    private Stripes() {
    }

    /** The stripe with which the common path of a probe counts on the current thread, or null if it cannot. */
    @SuppressWarnings("deprecation") // As in LiveProbe.
    static Stripe counting(Thread current, int id) {
        int slot = (int) current.getId() & MASK;
        return THREADS[slot] == current && Stripe.counts(CELLS[slot], id) ? STRIPES[slot] : null;
    }

    /** The stripe of the current thread, or null if it has to share (a virtual thread). */
    @SuppressWarnings("deprecation") // As in LiveProbe.
    public static Stripe of(Thread current) {
        int slot = (int) current.getId() & MASK;
        if (THREADS[slot] == current) {
            return STRIPES[slot];
        }
        if (VIRTUAL_THREAD != null && VIRTUAL_THREAD.isInstance(current)) {
            return null;
        }
        WeakReference<Stripe> own = OWN.get();
        Stripe stripe = own == null ? null : own.get();
        if (stripe == null) {
            stripe = new Stripe(current);
            OWN.set(new WeakReference<>(stripe));
            Stripe head;
            do {
                head = FRESH.get();
                stripe.next = head;
            } while (!FRESH.compareAndSet(head, stripe));
        }
        Thread thread = THREADS[slot];
        if (thread == null || !thread.isAlive()) {
            take(slot, stripe);
        }
        return stripe;
    }

    private static void take(int slot, Stripe stripe) {
        synchronized (SLOTS) {
            Thread thread = THREADS[slot];
            if (enabled && (thread == null || !thread.isAlive())) {
                STRIPES[slot] = stripe;
                CELLS[slot] = stripe.cells;
                THREADS[slot] = stripe.thread;
                stripe.slot = slot;
            }
        }
    }

    private static void giveUp(int slot) {
        THREADS[slot] = null;
        STRIPES[slot] = null;
        CELLS[slot] = NO_CELLS;
    }

    /**
     * Whether a class has counters in its thread's stripe. It gets them when the arrivals elsewhere are worth them: for one
     * object of a class with a high id a thread needs no counters of all classes before it. For the stripe's thread.
     */
    public static boolean room(Stripe stripe, int id) {
        if (Stripe.counts(stripe.cells, id)) {
            return true;
        }
        if (!stripe.grow(id)) {
            return false;
        }
        grown(stripe);
        return true;
    }

    /** The stripe's counters have moved. For its thread. */
    private static void grown(Stripe stripe) {
        int slot = stripe.slot;
        if (slot >= 0 && THREADS[slot] == stripe.thread) {
            CELLS[slot] = stripe.cells;
        }
    }

    /** The thread's probes take the slow path from now on. For that thread. */
    @SuppressWarnings("deprecation") // As in LiveProbe.
    static void hide(Thread current) {
        int slot = (int) current.getId() & MASK;
        if (THREADS[slot] == current) {
            CELLS[slot] = NO_CELLS;
        }
    }

    /** The end of {@link #hide}. For that thread. */
    @SuppressWarnings("deprecation") // As in LiveProbe.
    static void show(Thread current) {
        int slot = (int) current.getId() & MASK;
        if (THREADS[slot] == current) {
            CELLS[slot] = STRIPES[slot].cells;
        }
    }

    /** Puts a combination of tags in force on this thread, for its stripe too; see {@link Tags#set}. */
    public static void tag(int id) {
        int tags = Tags.set(id);
        if (Tags.areUsed()) {
            Stripe stripe = of(Thread.currentThread());
            if (stripe != null) {
                stripe.tag(tags);
            }
        }
    }

    /** Whether constructions are counted. */
    public static boolean enabled() {
        return enabled;
    }

    /**
     * Switches counting on or off while the program runs. A thread that is inside a probe may count one more object.
     * The slots are emptied, so that every probe takes the slow path, where the switch is read. The common path pays nothing.
     */
    public static void enable(boolean on) {
        synchronized (SLOTS) {
            enabled = on;
            for (int slot = 0; slot < CACHED && !on; slot++) {
                giveUp(slot);
            }
        }
    }

    /** Adds up what every stripe has counted, and forgets the stripes of dead threads. Call under the sweep's lock. */
    public static void collect(Visitor visitor) {
        for (Stripe s = FRESH.getAndSet(null); s != null; ) {
            Stripe following = s.next;
            s.next = null;
            SEEN.add(s);
            s = following;
        }
        int kept = 0;
        for (int i = 0; i < SEEN.size(); i++) {
            Stripe stripe = SEEN.get(i);
            // Asked before the cells are read: a dead thread counts no more.
            boolean alive = stripe.thread.isAlive();
            visitor.add(stripe, alive);
            if (alive) {
                // As in Sample.move: an equal write would dirty the card.
                if (kept < i) {
                    SEEN.set(kept, stripe);
                }
                kept++;
            } else {
                forget(stripe);
            }
        }
        SEEN.subList(kept, SEEN.size()).clear();
    }

    private static void forget(Stripe dead) {
        dead.release();
        synchronized (SLOTS) {
            if (dead.slot >= 0 && STRIPES[dead.slot] == dead) {
                giveUp(dead.slot);
            }
        }
    }

    /** A class's rate has risen. Call under the sweep's lock. */
    public static void redraw(int id, int shift) {
        for (Stripe stripe : SEEN) {
            stripe.redraw(id, shift);
        }
    }

    /** Whether some thread may pass over the next arrivals of a class; an unseen one may. Call under the sweep's lock. */
    public static boolean passesOver(int id) {
        if (FRESH.get() != null) {
            return true;
        }
        for (Stripe stripe : SEEN) {
            if (stripe.passesOver(id)) {
                return true;
            }
        }
        return false;
    }

    /** Forgets every stripe: what they have counted is lost. Call under the sweep's lock, switched off. */
    public static void forget() {
        FRESH.set(null);
        SEEN.forEach(Stripe::release);
        SEEN.clear();
        SEEN.trimToSize();
    }

    /** How many stripes the last sweep kept. */
    public static int alive() {
        return SEEN.size();
    }

    private static Class<?> virtualThread() {
        try {
            // Not with a null loader: a security manager would check the program's right to that.
            return Class.forName("java.lang.BaseVirtualThread", false, Stripes.class.getClassLoader());
        } catch (ClassNotFoundException before21) {
            return null;
        }
    }

    /** Receives the counters of one stripe after another. */
    public interface Visitor {
        /** If not {@code alive}, the stripe's counters are final and come for the last time. */
        void add(Stripe stripe, boolean alive);
    }
}
