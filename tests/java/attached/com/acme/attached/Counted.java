package com.acme.attached;

/** What the test counts: the program constructs them only when it is told to. */
final class Counted {
    private final int number;

    Counted(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
