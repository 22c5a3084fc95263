package io.weighbridge.runtime;

/** Where random tests begin: the same on each run, unless {@code -Dweighbridge.seed=N} says otherwise. */
public final class Seed {
    private static final long DEFAULT = 7_904_493;

    private Seed() {
    }

    public static long get() {
        return Long.getLong("weighbridge.seed", DEFAULT);
    }
}
