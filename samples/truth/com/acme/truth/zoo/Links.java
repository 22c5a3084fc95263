package com.acme.truth.zoo;

/** A ring: each object is reached again from its own fields. */
public final class Links {
    private Object first;
    private Object[] ring;

    public Links(int size) {
        ring = new Object[size + 2];
        for (int i = 0; i < size; i++) {
            ring[i] = new Object[] {i == 0 ? this : ring[i - 1], ring};
        }
        ring[size] = ring;
        first = this;
    }

    public int size() {
        return first == this ? ring.length : 0;
    }
}
