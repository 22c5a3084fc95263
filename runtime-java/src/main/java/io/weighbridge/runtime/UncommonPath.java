package io.weighbridge.runtime;

/**
 * What a probe does when the common path does not apply: a thread's first object of a class, a subclass's
 * object, a virtual thread, counting switched off.
 */
final class UncommonPath {
    private UncommonPath() {
    }

    static void live(Object o, int id, Thread thread) {
        if (!Stripes.enabled()) {
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
