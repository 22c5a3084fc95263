package com.acme.truth.zoo;

/** A copy of it runs no constructor. */
public final class Sheep implements Cloneable {
    private final int[] wool;

    public Sheep(int size) {
        wool = new int[size];
    }

    @Override
    public Sheep clone() {
        try {
            return (Sheep) super.clone();
        } catch (CloneNotSupportedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    public int size() {
        return wool.length;
    }
}
