package io.weighbridge.runtime.probe;

/** Counts an object of a class whose nearest instrumented one is known. Small enough for a probe. */
final class Arrival {
    private Arrival() {
    }

    /** An object of a class whose nearest instrumented one is known, if it has any: to be counted now. */
    static void of(Object o, NearestClass.Answer nearest) {
        if (nearest.live) {
            LiveProbe.INSTANCE.accept(o, nearest.id);
        } else if (nearest.id >= 0) {
            CountProbe.INSTANCE.accept(nearest.id);
        }
    }
}
