package io.weighbridge.admission;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.TimeUnit;

/**
 * The runtime's {@code io.weighbridge.Weighbridge}, looked up by name. Nothing here throws. A runtime that comes to the class
 * path later, by a Java agent, is found within a second. A question costs some nanoseconds while memory is not short.
 */
public final class Gate {
    /** What is open until it is closed, on the same thread. */
    public interface Open extends AutoCloseable {
        @Override
        void close();
    }

    /** Of the process: the system class loader's runtime, which is the one that measures, or else this class's. */
    public static final Gate OF_PROCESS = new Gate(ClassLoader.getSystemClassLoader(), Gate.class.getClassLoader());
    private static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_CAUSES = 32;
    private static final Open NOTHING = () -> {
    };
    private final ClassLoader[] loaders;
    private volatile Methods found;
    private volatile long nextLook = System.nanoTime();

    Gate(ClassLoader... loaders) {
        this.loaders = loaders;
    }

    /** Whether work with a tag may begin; waits as {@code Weighbridge.admit} does. True without a runtime. */
    public boolean admit(String key, String value) {
        Methods methods = methods();
        try {
            return methods == null || (boolean) methods.admit.invokeExact(key, value);
        } catch (Throwable t) {
            return true;
        }
    }

    /** {@code Weighbridge.scope} on this thread; nothing without a runtime. */
    public Open scope(String key, String value) {
        Methods methods = methods();
        try {
            return methods == null ? NOTHING : closing((AutoCloseable) methods.scope.invokeExact(key, value));
        } catch (Throwable t) {
            return NOTHING;
        }
    }

    /** Whether the runtime has ended or refused the work that threw this: it or a cause is a {@code Cancelled} or {@code NotAdmitted}. */
    public static boolean isRefusal(Throwable thrown) {
        Throwable cause = thrown;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
            // By name: the classes may be of another loader, or not there.
            String name = cause.getClass().getName();
            if (name.equals("io.weighbridge.Cancelled") || name.equals("io.weighbridge.NotAdmitted")) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    private static Open closing(AutoCloseable scope) {
        return () -> {
            try {
                scope.close();
            } catch (Exception never) {
                // A scope throws nothing.
            }
        };
    }

    private Methods methods() {
        Methods methods = found;
        long now = System.nanoTime();
        if (methods != null || now - nextLook < 0) {
            return methods;
        }
        nextLook = now + AGAIN_NS;
        for (ClassLoader loader : loaders) {
            try {
                methods = new Methods(Class.forName("io.weighbridge.Weighbridge", true, loader));
                found = methods;
                return methods;
            } catch (ReflectiveOperationException | LinkageError | RuntimeException notThere) {
                // Not in this one, or an older one that cannot admit.
            }
        }
        return null;
    }

    private static final class Methods {
        final MethodHandle admit;
        final MethodHandle scope;

        Methods(Class<?> weighbridge) throws ReflectiveOperationException {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            MethodType asks = MethodType.methodType(boolean.class, String.class, String.class);
            admit = lookup.unreflect(weighbridge.getMethod("admit", String.class, String.class)).asType(asks);
            MethodType opens = MethodType.methodType(AutoCloseable.class, String.class, String.class);
            scope = lookup.unreflect(weighbridge.getMethod("scope", String.class, String.class)).asType(opens);
        }
    }
}
