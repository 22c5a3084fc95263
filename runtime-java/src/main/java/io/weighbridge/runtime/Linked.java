package io.weighbridge.runtime;

/** A jar that has just met the runtime. */
final class Linked {
    final LinkTable table;
    final int base;

    Linked(LinkTable table, int base) {
        this.table = table;
        this.base = base;
    }
}
