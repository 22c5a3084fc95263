package com.acme.cli.lib;

/** What the program holds. */
public class Held {
    private final long[] payload = new long[100];

    public int length() {
        return payload.length;
    }
}
