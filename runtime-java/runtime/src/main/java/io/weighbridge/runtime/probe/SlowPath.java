package io.weighbridge.runtime.probe;

/**
 * What a probe does when the common path does not apply: for a thread's first object of a class, a sampled object, a virtual
 * thread, or when counting is switched off.
 *
 * <p>Nothing here may be inlined into the probes. While a program starts, every object is registered. The JIT would take
 * registering for the hot path, inline it into the probe, and then refuse to inline the probe ("already compiled into a
 * big method"): some nanoseconds for each construction on JDK 17, for good. Outside the JDK no annotation prevents that, but
 * C2 never inlines a method of a Throwable below the first level ({@code bytecodeInfo.cpp}, "exception method"). So this
 * class is a Throwable without instances, and each probe calls it through one small method.
 */
final class SlowPath extends Throwable {
    private static final long serialVersionUID = 1;

    private SlowPath() {
    }

    /** After the common path: either it has counted the object, which is then sampled, or it could not. */
    static void liveOwn(Object o, int id) {
        Stripe stripe = Stripes.counting(Thread.currentThread(), id);
        int entered = Inside.enter();
        if (entered == Inside.NESTED) {
            return;
        }
        try {
            if (stripe != null) {
                stripe.draw(o, id);
            } else {
                first(o, id);
            }
        } finally {
            Inside.leave(entered);
        }
    }

    /** An object of class {@code id} that nothing has counted yet. */
    static void live(Object o, int id) {
        int entered = Inside.enter();
        if (entered == Inside.NESTED) {
            return;
        }
        try {
            first(o, id);
        } finally {
            Inside.leave(entered);
        }
    }

    private static void first(Object o, int id) {
        if (!Stripes.enabled() || !ClassTable.isId(id)) {
            return;
        }
        Stripe stripe = Stripes.of(Thread.currentThread());
        if (stripe == null || !Stripes.room(stripe, id)) {
            ClassEntry entry = ClassTable.entry(id);
            if (entry == null) {
                return;
            }
            entry.shared.increment();
            if (stripe == null) {
                entry.registerShared(o);
            } else {
                stripe.countElsewhere();
                entry.registerShared(o, stripe.origin());
            }
        } else if (stripe.count(id)) {
            stripe.draw(o, id);
        }
    }

    /** The same of a class that is only counted. */
    static void count(int id) {
        int entered = Inside.enter();
        if (entered == Inside.NESTED) {
            return;
        }
        try {
            counted(id);
        } finally {
            Inside.leave(entered);
        }
    }

    private static void counted(int id) {
        if (!Stripes.enabled() || !ClassTable.isId(id)) {
            return;
        }
        Stripe stripe = Stripes.of(Thread.currentThread());
        if (stripe != null && Stripes.room(stripe, id)) {
            stripe.count(id);
            return;
        }
        ClassEntry entry = ClassTable.entry(id);
        if (entry != null) {
            entry.shared.increment();
            if (stripe != null) {
                stripe.countElsewhere();
            }
        }
    }
}
