package com.acme.ending;

/** What the next session counts. */
public class Other {
    public Other() {
    }
}
