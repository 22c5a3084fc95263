package io.weighbridge.runtime.walk;

/** The two labels of an object in one number: who reaches it, and who holds it itself. */
final class Colour {
    private Colour() {
    }

    static long of(int deep, int own) {
        return (long) deep << 32 | own;
    }

    /** An {@link RootClassSets} set. */
    static int deep(long colour) {
        return (int) (colour >>> 32);
    }

    /** An {@link OwnLabels} label. */
    static int own(long colour) {
        return (int) colour;
    }
}
