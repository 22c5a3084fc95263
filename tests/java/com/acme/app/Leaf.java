package com.acme.app;

import com.acme.base.Node;
import com.acme.base.Weighed;

/** Descends from a class of another jar, and is annotated. */
@Weighed
public class Leaf extends Node {
    final String text;

    public Leaf(int value) {
        super(value);
        this.text = "leaf " + value;
    }

    public Leaf() {
        this(7);
    }

    @Override
    public String toString() {
        return text + " of " + value;
    }
}
