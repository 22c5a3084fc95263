package com.acme.base;

/** A superclass in a jar of its own. */
public class Node {
    protected final int value;

    public Node(int value) {
        this.value = value;
    }
}
