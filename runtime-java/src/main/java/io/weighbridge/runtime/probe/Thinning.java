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
    private final double target;
    private final Random random;
    private double block;
    private Tracked chosen;

    /** Blocks weigh {@code target} or more, the last one may weigh less; heavier references are blocks of their own. */
    public Thinning(double target, Random random) {
        this.target = target;
        this.random = random;
    }

    /** Takes the next reference in the order of birth; gives one that is left, or null. */
    public Tracked add(Tracked t) {
        if (t.weight >= target) {
            return t;
        }
        block += t.weight;
        if (random.nextDouble() * block < t.weight) {
            chosen = t;
        }
        return block >= target ? end() : null;
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
