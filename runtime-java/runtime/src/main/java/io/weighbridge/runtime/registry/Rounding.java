package io.weighbridge.runtime.registry;

import java.util.Arrays;

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
        double[] order = lost.clone();
        Arrays.sort(order);
        double least = order[(int) Math.max(0, order.length - Math.max(1, left))];
        for (int i = 0; i < lost.length && left > 0; i++) {
            if (lost[i] > least) {
                rounded[i]++;
                left--;
            }
        }
        int most = 0;
        for (int i = 0; i < lost.length; i++) {
            if (lost[i] == least && left > 0) {
                rounded[i]++;
                left--;
            }
            most = rounded[i] > rounded[most] ? i : most;
        }
        // What the products above lost as floating point numbers.
        rounded[most] += left;
        return rounded;
    }
}
