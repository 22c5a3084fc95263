package com.acme.truth.zoo;

/** An object that dies young. */
public final class Dust {
    private static volatile long seen;
    private final long value;

    public Dust(long value) {
        this.value = value;
    }

    public long value() {
        return value;
    }

    public static void seen(long sum) {
        seen = sum;
    }
}
