package com.acme.named;

/** The class that gets another name. */
public class Plain {
    public Plain() {
    }

    public int once() {
        return 1;
    }
}
