package io.weighbridge.runtime.probe;

import java.util.Random;

/**
 * Makes few references stand for many: neighbours in time are joined into blocks, and one reference of each block is left,
 * chosen with a probability in proportion to its weight. It gets the block's whole weight.
 *
 * <p>So the sum of weights and its parts by time of birth stay what they were, and each object still counts without bias.
 * The choice is random, because a program may keep every second object that it makes.
 */
public final class Thinning {
    /** Numbers of registrations, ascending: see {@link #keepApart}. */
    private static volatile long[] apart = {};
    private final double target;
    private final Random random;
    private double block;
    private Tracked chosen;
    /** Between which of the numbers kept apart the block is. */
    private int side;
    private final long[] between = apart;

    /**
     * From now on no reference stands for objects on both sides of one of these numbers: a marking of the heap began there, or may
     * turn out to have begun there.
     */
    public static void keepApart(long[] numbers) {
        apart = numbers;
    }

    /** Blocks weigh {@code target} or more, the last one may weigh less; heavier references are blocks of their own. */
    public Thinning(double target, Random random) {
        this.target = target;
        this.random = random;
    }

    /** Takes the next reference in the order of birth; gives one that is left, or null. */
    public Tracked add(Tracked t) {
        int its = side(t.number());
        Tracked before = chosen != null && (its != side || block >= target) ? end() : null;
        if (before == null && t.weight >= target) {
            return t;
        }
        side = its;
        block += t.weight;
        if (random.nextDouble() * block < t.weight) {
            chosen = t;
        }
        return before == null && block >= target ? end() : before;
    }

    private int side(long number) {
        int passed = 0;
        while (passed < between.length && between[passed] <= number) {
            passed++;
        }
        return passed;
    }

    /** The reference left of the block that is not full; null if there is none. */
    public Tracked end() {
        Tracked left = chosen;
        if (left != null) {
            left.weight = (float) block;
        }
        chosen = null;
        block = 0;
        return left;
    }

    /** The least weight of blocks with which at most {@code most} of the first {@code count} references are left, or nearly so. */
    public static double target(Tracked[] references, int count, int most) {
        double target = 1;
        double left = count;
        while (left > most) {
            target *= 1.25;
            left = 0;
            for (int i = 0; i < count; i++) {
                left += Math.min(1, references[i].weight / target);
            }
        }
        return target;
    }
}
