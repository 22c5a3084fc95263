package com.acme.hostile;

/** Has a field of a class that nobody has loaded before the measurement asks for it. */
public final class Holder {
    HolderPart part;

    public Holder() {
    }
}
