package io.weighbridge.runtime.probe;

import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/**
 * Which class's constructor shall leave its next object to a subclass's: said before {@code super(...)} by the one that
 * registers the object, asked at the entry of the other, with no code of anybody's in between (docs/probe-contract.md).
 *
 * <p>A superclass's constructor would otherwise have to look up whether the object's class registers itself. Where the JIT
 * inlines both, what is said and what is asked is the same expression and folds to nothing, so that no test stands between
 * an allocation and the stores of the constructors, and G1's barriers at these stores fall away (docs/decisions/0017).
 * Neither has a branch, for that would be such a test.
 *
 * <p>A thread writes its own place, under its id modulo 1,024, so threads can meet there. One that finds another's claim,
 * or none, takes the object for unclaimed and looks it up, which is always right; a claim names its thread and the class,
 * so nobody takes another's for its own. The places are 128 bytes apart: see {@link Stripe}.
 */
public final class Claims implements IntConsumer, IntPredicate {
    /** The one for all jars. */
    public static final Claims INSTANCE = new Claims();
    /** Places are this many longs apart, as a power of two. */
    private static final int APART = 4;
    private static final long[] PLACES = new long[Stripes.MASK + 1 << APART];

    private Claims() {
    }

    /** The current thread's next object of class {@code id}, or of a subclass, is registered elsewhere. */
    @Override
    @SuppressWarnings("deprecation") // As in LiveProbe.
    public void accept(int id) {
        long thread = Thread.currentThread().getId();
        PLACES[((int) thread & Stripes.MASK) << APART] = claim(thread, id);
    }

    /** Whether that was said of the object that a constructor of class {@code id} has just begun with; forgets it. */
    @Override
    @SuppressWarnings("deprecation") // As in LiveProbe.
    public boolean test(int id) {
        long thread = Thread.currentThread().getId();
        int place = ((int) thread & Stripes.MASK) << APART;
        boolean claimed = PLACES[place] == claim(thread, id);
        PLACES[place] = 0;
        return claimed;
    }

    /** Never 0; ids have 30 bits. */
    private static long claim(long thread, int id) {
        return (thread << 31) + id + 1;
    }
}
