package io.weighbridge.runtime.link;

/** A jar that has just met the runtime. */
public final class Linked {
    /** What its table says. */
    public final LinkTable table;
    /** Its first id. */
    public final int base;

    Linked(LinkTable table, int base) {
        this.table = table;
        this.base = base;
    }
}
