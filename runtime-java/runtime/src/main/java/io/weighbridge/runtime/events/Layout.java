package io.weighbridge.runtime.events;

/** Where the references of a class's objects are. */
final class Layout {
    /** Offsets of the reference fields, those of superclasses included. */
    final long[] references;
    /** Offsets in the class object of the static fields with references, of this class alone. */
    final long[] statics;
    /** Where the last field ends. */
    final long end;

    Layout(long[] references, long[] statics, long end) {
        this.references = references;
        this.statics = statics;
        this.end = end;
    }
}
