package com.acme.truth.zoo;

/** A class that is weighed itself and as the superclass of another weighed class. */
public class Base {
    private final byte small;
    private final long large;

    public Base(int value) {
        small = (byte) value;
        large = value;
    }

    public long value() {
        return small + large;
    }
}
