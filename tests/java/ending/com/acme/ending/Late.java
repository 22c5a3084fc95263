package com.acme.ending;

/** What is loaded slowly. */
public class Late extends Above {
    public Late() {
    }
}
