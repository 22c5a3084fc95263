package io.weighbridge.runtime;

/**
 * Calls that must not be inlined into the probes.
 *
 * <p>While a program starts, every object is registered, and the JIT would take registering for the hot path, inline
 * it into the probe, and then refuse to inline the probe ("already compiled into a big method"): some nanoseconds for
 * each construction on JDK 17, for good. There is no annotation for this outside the JDK, but C2 never inlines a
 * method of a Throwable below the first level ({@code bytecodeInfo.cpp}, "exception method"). So this class is one,
 * none is ever made, and the probes call it through one small method each.
 */
final class OutOfLine extends Throwable {
    private static final long serialVersionUID = 1;

    private OutOfLine() {
    }

    static void liveOwn(Object o, int id) {
        UncommonPath.liveOwn(o, id);
    }

    static void live(Object o, int id) {
        UncommonPath.subclassOrCopy(o, id);
    }

    static void countOwn(int id) {
        UncommonPath.count(id);
    }

    static void count(Class<?> subclass, int id) {
        UncommonPath.subclass(subclass, id);
    }
}
