package com.acme.truth.zoo;

/** An object and its inner class, which refers to it. */
public final class Outer {
    private final String name;

    public Outer(int number) {
        name = "outer " + number;
    }

    public Inner inner() {
        return new Inner();
    }

    /** Holds its {@link Outer} in a synthetic field. */
    public final class Inner {
        private final Runnable action = () -> name.length();

        public void run() {
            action.run();
        }
    }
}
