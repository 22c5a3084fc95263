package com.acme.hostile;

/** What is counted. */
class Thing {
    private final long number;

    Thing(long number) {
        this.number = number;
    }

    static Thing make() {
        Thing thing = new Thing(1);
        Main.MADE.incrementAndGet();
        return thing;
    }

    long number() {
        return number;
    }
}
