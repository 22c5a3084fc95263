package io.weighbridge.runtime;

/**
 * What a probe does when the common path does not apply: a thread's first object of a class, a subclass's
 * object, a virtual thread, counting switched off.
 */
final class UncommonPath {
    /** Ids below this come with a copy: {@code Integer.MIN_VALUE + id} (docs/probe-contract.md). */
    static final int COPIES = Integer.MIN_VALUE / 2;

    private UncommonPath() {
    }

    static void live(Object o, int id, Thread thread) {
        if (!Stripes.enabled()) {
            return;
        }
        if (id < COPIES) {
            copied(o, id - Integer.MIN_VALUE, thread);
            return;
        }
        if (id < 0) {
            int own = ~id;
            if (NearestClass.isRegisteredBy(o.getClass(), own)) {
                live(o, own, thread);
            }
            return;
        }
        ClassEntry entry = ClassTable.entry(id);
        if (entry == null) {
            return;
        }
        Stripe stripe = Stripes.of(thread);
        if (stripe == null) {
            entry.shared.increment();
            entry.registerShared(o);
        } else if (stripe.count(id)) {
            stripe.draw(o, id);
        }
    }

    /** No constructor ran, so the copy belongs to its nearest instrumented class, whichever method made it. */
    private static void copied(Object copy, int maker, Thread thread) {
        int nearest = NearestClass.of(copy.getClass(), maker);
        ClassEntry entry = nearest < 0 ? null : ClassTable.entry(nearest);
        if (entry == null) {
            return;
        }
        if (entry.live) {
            live(copy, nearest, thread);
        } else {
            count(null, nearest, thread);
        }
    }

    static void count(Class<?> subclass, int id, Thread thread) {
        if (!Stripes.enabled() || subclass != null && !NearestClass.isRegisteredBy(subclass, id)) {
            return;
        }
        ClassEntry entry = ClassTable.entry(id);
        if (entry == null) {
            return;
        }
        Stripe stripe = Stripes.of(thread);
        if (stripe == null) {
            entry.shared.increment();
        } else {
            stripe.count(id);
        }
    }
}
