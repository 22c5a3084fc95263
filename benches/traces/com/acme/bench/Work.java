package com.acme.bench;

/** Some hundred nanoseconds of work. */
public final class Work {
    private final long[] data = new long[64];

    public long step(int n) {
        long sum = n;
        for (int i = 0; i < data.length; i++) {
            data[i] = data[i] * 31 + sum;
            sum ^= data[i] >>> 7;
        }
        return sum;
    }
}
