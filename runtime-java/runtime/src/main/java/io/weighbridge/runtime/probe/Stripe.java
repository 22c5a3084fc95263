package io.weighbridge.runtime.probe;

import io.weighbridge.runtime.jvm.Randomness;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The counters of one platform thread.
 *
 * <p>Assumes that only {@link #thread} calls the methods that write. Others read {@link #cells} racily: they see at least
 * what happened before their last synchronization with the thread, and everything once {@code thread.isAlive()} is false
 * (JLS 17.4.4).
 *
 * <p>Costs 256 bytes, and 17 for each class id up to the highest that the thread often constructs. What it seldom constructs,
 * and what has no memory here ({@link StripeMemory}), it counts where virtual threads do.
 */
public final class Stripe {
    /**
     * Unused elements before and after the counters: 128 bytes, for processors fetch lines of 64 bytes in pairs. A collector
     * copies the small arrays of many threads next to each other. Threads that write to one line, or read an array's length
     * from it, make each other wait: some six nanoseconds a construction.
     */
    static final int MARGIN = 16;

    final Thread thread;
    /**
     * For class {@code id}: arrivals at {@link #cell}, and behind them the number of the arrival that is registered next. That
     * is 0 before the first draw, and the next arrival's number times -1 if it has to draw ({@link #redraw}). Side by side,
     * so that a construction touches one cache line.
     */
    public long[] cells = {};
    /** The sampling shift in force when the gap to the next registration was drawn: an object's weight is that gap's. */
    private byte[] shifts = {};
    private long random;
    /** Who constructs here: see {@link Origin}. */
    private int origin;
    /** Arrivals that were counted in {@link ClassEntry#shared}, and those since the counters grew. */
    private long elsewhere;
    private long waiting;
    /** Its index in {@link Stripes#THREADS}, or -1 if it has none. For its thread. */
    int slot = -1;
    /** Link of the list of stripes not yet seen by a sweep. */
    Stripe next;

    Stripe(Thread thread) {
        this.thread = thread;
        this.random = Randomness.seed();
        this.origin = Origin.of(ThreadNames.of(thread), Tags.current());
    }

    /** The index of a class's counters. The probes write it out: a call would be one more level for the JIT to inline. */
    public static int cell(int id) {
        return (id << 1) + MARGIN;
    }

    /** Whether a class has counters. */
    static boolean counts(long[] cells, int id) {
        return cell(id) + MARGIN < cells.length;
    }

    /** For how many classes there are counters. */
    public static int classes(long[] cells) {
        return cells.length == 0 ? 0 : (cells.length >> 1) - MARGIN;
    }

    /** The group of the thread's name. */
    public int group() {
        return Origin.group(origin);
    }

    /** Who constructs here: see {@link Origin}. */
    int origin() {
        return origin;
    }

    /** The tags in force on the thread have changed. For its thread. */
    void tag(int tags) {
        origin = Origin.of(group(), tags);
    }

    /** Counts an arrival of a class that has counters; true if {@link #draw} must follow. */
    boolean count(int id) {
        int cell = cell(id);
        return ++cells[cell] >= cells[cell + 1];
    }

    /** An arrival is counted elsewhere, for its class has no counters here. */
    void countElsewhere() {
        elsewhere++;
        waiting++;
    }

    /** Arrivals on this thread that are counted in {@link ClassEntry#shared}. */
    public long elsewhere() {
        return elsewhere;
    }

    /**
     * Makes room for a class's counters; false if there is no memory for them, or not yet. Grows by half, so that the cost
     * stays linear at start-up, when ids come one by one.
     */
    boolean grow(int id) {
        int classes = Math.max(id + 1, Math.min(shifts.length * 3 / 2, ClassTable.size()));
        if (!StripeMemory.isWorth(classes - shifts.length, waiting) || !StripeMemory.take(shifts.length, classes)) {
            return false;
        }
        try {
            byte[] grownShifts = Arrays.copyOf(shifts, classes);
            long[] grown = Arrays.copyOf(cells, cell(classes) + MARGIN);
            shifts = grownShifts;
            VarHandle.releaseFence(); // a sweep that sees the new array sees its contents
            cells = grown;
        } catch (OutOfMemoryError e) {
            StripeMemory.giveBack(classes - shifts.length);
            throw e;
        }
        waiting = 0;
        return true;
    }

    /** Its thread is dead, and its counters were read for the last time. */
    void release() {
        StripeMemory.giveBack(classes(cells));
    }

    /**
     * Registers the object whose arrival has just been counted, if it is its turn, and draws the next gap.
     *
     * <p>If this runs out of stack or memory, the gap is not drawn. The next arrival then is past the turn, and says that
     * the class has lost objects.
     */
    void draw(Object o, int id) {
        ClassEntry entry = ClassTable.entry(id);
        if (entry == null) {
            return;
        }
        long[] counters = cells;
        int cell = cell(id);
        long arrivals = counters[cell];
        long turn = counters[cell + 1];
        int shift = shifts[id];
        if (turn <= 0) {
            shift = entry.shift();
            long next = Math.max(1, -turn);
            turn = Randomness.plus(arrivals - 1, gap(entry, shift));
            shifts[id] = (byte) shift;
            counters[cell + 1] = turn;
            if (arrivals > next) {
                entry.lose();
            }
            passing(entry, turn - arrivals + 1);
            if (arrivals < turn) {
                return;
            }
        } else if (arrivals > turn) {
            entry.lose();
        }
        entry.register(o, shift, origin);
        shift = entry.shift();
        long gap = gap(entry, shift);
        shifts[id] = (byte) shift;
        counters[cell + 1] = Randomness.plus(arrivals, gap);
        passing(entry, gap);
    }

    /** The gap has been written. A sweep that has just called the class exact either sees it, or is corrected here. */
    private static void passing(ClassEntry entry, long gap) {
        if (gap > 1) {
            VarHandle.fullFence();
            entry.lose();
        }
    }

    /**
     * The class's rate has risen: the next arrival draws a new gap instead of the one drawn at a lower rate. That is without
     * bias, for gaps have no memory. For the sweep: a write of the thread's at the same time may undo it.
     */
    void redraw(int id, int shift) {
        long[] counters = cells;
        if (id < shifts.length && shifts[id] > shift && counts(counters, id) && counters[cell(id) + 1] > 0) {
            counters[cell(id) + 1] = -1 - counters[cell(id)];
        }
    }

    /** Whether the thread may pass over the next arrivals of a class. For the sweep. */
    boolean passesOver(int id) {
        long[] counters = cells;
        return counts(counters, id) && counters[cell(id) + 1] > counters[cell(id)] + 1;
    }

    private long gap(ClassEntry entry, int shift) {
        if (shift == 0) {
            return 1;
        }
        random = Randomness.next(random);
        long gap = Randomness.gap(random, shift);
        if (gap > 1) {
            entry.lose(); // what comes before its end
        }
        return gap;
    }
}
