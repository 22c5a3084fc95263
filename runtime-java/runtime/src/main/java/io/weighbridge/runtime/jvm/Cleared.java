package io.weighbridge.runtime.jvm;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;

/**
 * Whether a reference's object has been collected.
 *
 * <p>{@code Reference.refersTo(null)} where there is one (JDK 16, JDK-8188055): {@code get()} makes the object
 * strongly reachable again while a concurrent collector is marking, so a sweep would keep garbage alive.
 */
public final class Cleared {
    private static final MethodHandle REFERS_TO = refersTo();

    private Cleared() {
    }

    /** True if the object is gone. */
    public static boolean is(Reference<Object> reference) {
        if (REFERS_TO == null) {
            return reference.get() == null;
        }
        try {
            return (boolean) REFERS_TO.invokeExact(reference, (Object) null);
        } catch (Throwable impossible) {
            return reference.get() == null;
        }
    }

    private static MethodHandle refersTo() {
        try {
            return MethodHandles.publicLookup().findVirtual(Reference.class, "refersTo",
                    MethodType.methodType(boolean.class, Object.class));
        } catch (ReflectiveOperationException | RuntimeException before16) {
            return null;
        }
    }
}
