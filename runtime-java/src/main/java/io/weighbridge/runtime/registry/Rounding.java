package io.weighbridge.runtime.registry;

/** Whole numbers for parts of a whole; they add up to it. */
public final class Rounding {
    private Rounding() {
    }

    /** Each part in proportion, rounded down; the rest goes to those that lost most (largest remainders). No part is negative. */
    public static long[] parts(double[] parts, long whole) {
        double sum = 0;
        for (double part : parts) {
            sum += part;
        }
        long[] rounded = new long[parts.length];
        if (sum <= 0) {
            return rounded;
        }
        double[] lost = new double[parts.length];
        long left = whole;
        for (int i = 0; i < parts.length; i++) {
            double share = parts[i] / sum * whole;
            rounded[i] = (long) share;
            lost[i] = share - rounded[i];
            left -= rounded[i];
        }
        for (; left > 0; left--) {
            int most = 0;
            for (int i = 1; i < lost.length; i++) {
                most = lost[i] > lost[most] ? i : most;
            }
            rounded[most]++;
            lost[most] -= 1;
        }
        return rounded;
    }
}
