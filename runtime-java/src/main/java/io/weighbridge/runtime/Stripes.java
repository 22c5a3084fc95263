package io.weighbridge.runtime;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The stripes of all platform threads: how a probe finds its own, and how the sweep reads them.
 *
 * <p>A probe looks in {@link #CACHE} under its thread's id and takes what it finds only if it is the owner's,
 * so an entry may be stale, lost or torn between threads without harm. Virtual threads have none: they share a
 * {@code LongAdder} per class. Stripes of dead threads are folded into the classes' totals by each sweep.
 */
final class Stripes {
    static final Stripe NOBODY = new Stripe(null);
    /** More live threads than this collide, and pay for a thread-local look-up instead. */
    private static final int CACHED = 1024;
    static final int MASK = CACHED - 1;
    static final Stripe[] CACHE = new Stripe[CACHED];
    /** Off: no probe finds a stripe, and the uncommon path counts nothing. */
    private static volatile boolean enabled = true;
    private static final ThreadLocal<Stripe> OWN = new ThreadLocal<>();
    private static final AtomicReference<Stripe> FRESH = new AtomicReference<>();
    private static final Class<?> VIRTUAL_THREAD = virtualThread();
    /** Guarded by the sweep's lock. */
    private static final ArrayList<Stripe> SEEN = new ArrayList<>();

    static {
        Arrays.fill(CACHE, NOBODY);
    }

    private Stripes() {
    }

    /** The stripe of the current thread, or null if it has to share (a virtual thread). */
    @SuppressWarnings("deprecation") // As in LiveProbe.
    static Stripe of(Thread current) {
        if (VIRTUAL_THREAD != null && VIRTUAL_THREAD.isInstance(current)) {
            return null;
        }
        Stripe stripe = OWN.get();
        if (stripe == null) {
            stripe = new Stripe(current);
            OWN.set(stripe);
            Stripe head;
            do {
                head = FRESH.get();
                stripe.next = head;
            } while (!FRESH.compareAndSet(head, stripe));
        }
        int slot = (int) current.getId() & MASK;
        stripe.slot = slot;
        CACHE[slot] = stripe;
        VarHandle.fullFence(); // against enable(false): either it clears this slot, or it is seen here
        if (!enabled) {
            CACHE[slot] = NOBODY;
        }
        return stripe;
    }

    static boolean enabled() {
        return enabled;
    }

    /**
     * Switches counting on or off while the program runs. A thread that is inside a probe may count one more object.
     * Emptying the cache sends every probe to the uncommon path, which is where the switch is read: the common
     * path pays nothing for it.
     */
    static void enable(boolean on) {
        enabled = on;
        if (!on) {
            Arrays.fill(CACHE, NOBODY);
        }
    }

    /** Adds up what every stripe has counted, and forgets the stripes of dead threads. Call under the sweep's lock. */
    static void collect(Tally tally) {
        for (Stripe s = FRESH.getAndSet(null); s != null; ) {
            Stripe following = s.next;
            s.next = null;
            SEEN.add(s);
            s = following;
        }
        int kept = 0;
        for (int i = 0; i < SEEN.size(); i++) {
            Stripe stripe = SEEN.get(i);
            // Asked before the cells are read: a thread that is dead now cannot count any more.
            boolean alive = stripe.owner.isAlive();
            tally.add(stripe, alive);
            if (alive) {
                SEEN.set(kept++, stripe);
            } else if (CACHE[stripe.slot] == stripe) {
                CACHE[stripe.slot] = NOBODY;
            }
        }
        SEEN.subList(kept, SEEN.size()).clear();
    }

    /** Forgets every stripe: what they have counted is lost. Call under the sweep's lock, switched off. */
    static void forget() {
        FRESH.set(null);
        SEEN.clear();
        SEEN.trimToSize();
    }

    /** How many stripes the last sweep kept. */
    static int alive() {
        return SEEN.size();
    }

    private static Class<?> virtualThread() {
        try {
            // Not with the boot loader named: a security manager would ask the program's right to that.
            return Class.forName("java.lang.BaseVirtualThread", false, Stripes.class.getClassLoader());
        } catch (ClassNotFoundException before21) {
            return null;
        }
    }

    /** Receives the counters of one stripe after another. */
    interface Tally {
        /** If not {@code alive}, the stripe's counters are final and come for the last time. */
        void add(Stripe stripe, boolean alive);
    }
}
