package com.acme.sick;

/** What a loader loads. */
public final class Plugin {
    private static final byte[] DATA = new byte[1000];

    /** Of no use but to be there. */
    public int size() {
        return DATA.length;
    }
}
