package com.acme.ending;

/** What it extends. */
public class Above {
    protected Above() {
    }
}
