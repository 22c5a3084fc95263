package io.weighbridge.runtime.probe;

import java.util.function.Predicate;

/**
 * Says of a {@code clone()} that has returned a copy whether its caller counts it. It takes the class where the search for
 * the method begins: that of the object, or the superclass of the class that has called {@code super.clone()}.
 */
public final class ClonesProbe implements Predicate<Class<?>> {
    /** The one for all jars. */
    public static final ClonesProbe INSTANCE = new ClonesProbe();

    static {
        ClassEntry.judgeCopiesBy(Clones::mayBeMissed);
    }

    private ClonesProbe() {
    }

    /** Empties everything: the runtime is switched off for good. */
    public static void abandon() {
        Clones.abandon();
    }

    @Override
    public boolean test(Class<?> from) {
        return from == Object.class || Clones.areCountedByCaller(from);
    }
}
