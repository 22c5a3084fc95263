package com.acme.truth.zoo;

/** A constructor that throws for some arguments and has two returns. */
public final class Refusing {
    private int state;

    public Refusing(int argument) {
        if (argument == 3) {
            throw new IllegalArgumentException("three");
        }
        try {
            state = 10 / argument;
            if (argument == 1) {
                return;
            }
        } catch (ArithmeticException byZero) {
            state = -1;
        }
        state++;
    }

    public int state() {
        return state;
    }
}
