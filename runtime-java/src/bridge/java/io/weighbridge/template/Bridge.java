package io.weighbridge.template;

import java.util.function.ObjIntConsumer;
import java.util.function.UnaryOperator;

/**
 * The one class that rewritten code names; a renamed copy goes into each rewritten jar (docs/probe-contract.md).
 *
 * <p>It names JDK types only, finds the runtime once by name in the system class loader, and does nothing
 * when there is none, so that a rewritten jar without the runtime behaves like the original. Nothing it
 * calls can throw into a constructor.
 */
public final class Bridge {
    private static final int CONTRACT = 1;
    private static final ObjIntConsumer<Object> LIVE;
    private static final ObjIntConsumer<Object> COUNT;
    private static final int BASE;

    static {
        ObjIntConsumer<Object> live = null;
        ObjIntConsumer<Object> count = null;
        int base = 0;
        try {
            Object[] link = link();
            live = sink(link[0]);
            count = sink(link[1]);
            base = (Integer) link[2];
        } catch (Throwable absent) {
            live = null;
            count = null;
        }
        LIVE = live;
        COUNT = count;
        BASE = base;
    }

    private Bridge() {
    }

    /** The constructor of {@code c} returns normally for {@code o}. */
    public static void live(Object o, Class<?> c, int id) {
        try {
            ObjIntConsumer<Object> sink = LIVE;
            if (sink != null) {
                sink.accept(o, o.getClass() == c ? BASE + id : ~(BASE + id));
            }
        } catch (Throwable never) {
            // The program must not see a failure of its measurement.
        }
    }

    /** The constructor of {@code c} returns normally for an object of class {@code k}; the object itself never escapes. */
    public static void count(Class<?> k, Class<?> c, int id) {
        try {
            ObjIntConsumer<Object> sink = COUNT;
            if (sink != null) {
                sink.accept(k == c ? null : k, BASE + id);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** {@code Object.clone} has made {@code copy} for a method of the class with this id; no constructor ran. */
    public static void copied(Object copy, int id) {
        try {
            ObjIntConsumer<Object> sink = LIVE;
            if (sink != null) {
                sink.accept(copy, Integer.MIN_VALUE + (BASE + id));
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    @SuppressWarnings("unchecked")
    private static Object[] link() throws Throwable {
        Class<?> linker = Class.forName("io.weighbridge.runtime.Linker", true, ClassLoader.getSystemClassLoader());
        Object instance = linker.getDeclaredConstructor().newInstance();
        return ((UnaryOperator<Object[]>) instance).apply(new Object[] {CONTRACT, Bridge.class, table()});
    }

    @SuppressWarnings("unchecked")
    private static ObjIntConsumer<Object> sink(Object value) {
        return (ObjIntConsumer<Object>) value;
    }

    /** Replaced by the rewriter with the table of this jar. */
    private static String table() {
        return "";
    }
}
