package io.weighbridge.runtime.jvm;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** The random numbers behind sampling: seeds, a step and the gaps between registrations. */
public final class Randomness {
    /** The golden ratio in 64 bits: SplitMix's increment (Steele, Lea, Flood, OOPSLA 2014). */
    private static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final AtomicLong SEEDS = new AtomicLong(System.nanoTime());

    private Randomness() {
    }

    /** Makes the seeds that follow reproducible. For tests. */
    public static void restart(long seed) {
        SEEDS.set(seed);
    }

    /** Never 0: {@link #next} of 0 is 0. */
    public static long seed() {
        return mix(SEEDS.addAndGet(GAMMA)) | 1;
    }

    /** One step of a 64-bit xorshift (Marsaglia 2003). */
    public static long next(long x) {
        x ^= x << 13;
        x ^= x >>> 7;
        return x ^ x << 17;
    }

    /** Mixes the bits of a state, so that neighbouring states give unrelated numbers. */
    public static long mix(long z) {
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /** A gap of at least 1, geometric with success probability 2<sup>-shift</sup>, by inversion. */
    public static long gap(long random, int shift) {
        double uniform = ((mix(random) >>> 11) + 0.5) * 0x1.0p-53;
        return 1 + (long) (Math.log(uniform) / Math.log1p(-1.0 / (1L << shift)));
    }

    /** True with probability 2<sup>-shift</sup>. */
    public static boolean chance(long random, int shift) {
        return mix(random) >>> (64 - shift) == 0 || shift == 0;
    }

    /**
     * Distinguishes this JVM's recording from every other: a UUID of version 8 (RFC 9562) from the clocks, the process id and
     * an identity hash. {@link UUID#randomUUID} would start a {@code SecureRandom}; if memory is short at its first use, its
     * class can never be used again.
     */
    public static UUID identity() {
        long most = mix(System.currentTimeMillis() + GAMMA * ProcessId.get());
        long least = mix(mix(System.nanoTime()) + System.identityHashCode(new Object()));
        return new UUID(most & ~0xF000L | 0x8000L, least & ~0L >>> 2 | 1L << 63);
    }

    /** A sum that does not overflow but stays at the largest number. */
    public static long plus(long a, long b) {
        long sum = a + b;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }
}
