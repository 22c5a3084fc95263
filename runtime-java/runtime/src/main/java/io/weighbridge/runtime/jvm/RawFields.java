package io.weighbridge.runtime.jvm;

import java.lang.invoke.MethodHandle;

/**
 * Reads a reference at an offset. The handle is a constant of this class, so the JIT compiles a call to one load. For that
 * the class may be initialised only after the access has been found.
 */
public final class RawFields {
    private static final MethodHandle GET = FieldAccess.get().getReference;

    private RawFields() {
    }

    /** The reference at an offset of an object. */
    public static Object reference(Object object, long offset) {
        try {
            return (Object) GET.invokeExact(object, offset);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
