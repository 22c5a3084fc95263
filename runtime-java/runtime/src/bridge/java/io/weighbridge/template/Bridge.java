package io.weighbridge.template;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The one class that rewritten code names; a renamed copy goes into each rewritten jar (docs/probe-contract.md).
 *
 * <p>It names JDK types only, finds the runtime once by name in the system class loader, and does nothing
 * when there is none, so that a rewritten jar without the runtime behaves like the original. Nothing it
 * calls can throw into a constructor. The probes of work let pass what their receivers throw.
 */
public final class Bridge {
    private static final int CONTRACT = 5;
    private static final ObjIntConsumer<Object> LIVE;
    private static final ObjIntConsumer<Object> LIVE_OTHERS;
    private static final IntConsumer COUNT;
    private static final ObjIntConsumer<Object> COUNT_OTHERS;
    /** Whether the caller of a {@code clone()} counts the copy: takes the class where the search for the method begins. */
    private static final Predicate<Class<?>> CLONES;
    private static final int BASE;
    /** Receivers of work: null, unless the host of a bridge that links again sets them. */
    private static final IntToLongFunction ENTER;
    private static final LongConsumer LEAVE;
    private static final LongPredicate AGAIN;
    /** The same. Volatile, because a loop must see it when it is set while the loop runs. */
    private static volatile Runnable CHECKPOINT;

    static {
        ObjIntConsumer<Object> live = null;
        ObjIntConsumer<Object> liveOthers = null;
        IntConsumer count = null;
        ObjIntConsumer<Object> countOthers = null;
        Predicate<Class<?>> clones = null;
        int base = 0;
        try {
            Map<String, Object> link = link();
            base = (Integer) link.get("base");
            clones = question(link.get("clones"));
            countOthers = sink(link.get("countOthers"));
            count = (IntConsumer) link.get("count");
            liveOthers = sink(link.get("liveOthers"));
            live = sink(link.get("live"));
        } catch (Throwable absent) {
            // The program runs as the original.
        }
        LIVE = live;
        LIVE_OTHERS = liveOthers;
        COUNT = count;
        COUNT_OTHERS = countOthers;
        CLONES = clones;
        BASE = base;
        ENTER = null;
        LEAVE = null;
        AGAIN = null;
    }

    private Bridge() {
    }

    /** An object of the class with this id is complete. */
    public static void live(Object o, int id) {
        try {
            ObjIntConsumer<Object> sink = LIVE;
            if (sink != null) {
                sink.accept(o, BASE + id);
            }
        } catch (Throwable never) {
            // The program must not see a failure of its measurement.
        }
    }

    /** The constructor of {@code c} returns normally for {@code o}; those of subclasses are registered elsewhere. */
    public static void liveOwn(Object o, Class<?> c, int id) {
        if (o.getClass() == c) {
            live(o, id);
        }
    }

    /** The constructor of {@code c} returns normally for {@code o}, whose class may have no probes. */
    public static void liveAll(Object o, Class<?> c, int id) {
        if (o.getClass() == c) {
            live(o, id);
        } else {
            liveOther(o, id);
        }
    }

    private static void liveOther(Object o, int id) {
        try {
            ObjIntConsumer<Object> sink = LIVE_OTHERS;
            if (sink != null) {
                sink.accept(o, BASE + id);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** {@code original.clone()} has returned {@code copy} to a method of the class with this id. */
    public static void cloned(Object copy, Object original, int id) {
        if (copy != null && copy != original && copy.getClass() == original.getClass()) {
            copied(copy, copy.getClass(), id);
        }
    }

    /**
     * {@code super.clone()} has returned {@code copy} to a method of {@code c}, the class with this id; null if the method is
     * certainly that of {@code Object}.
     */
    public static void clonedBySuper(Object copy, Class<?> c, int id) {
        if (copy != null) {
            copied(copy, c == null ? Object.class : c.getSuperclass(), id);
        }
    }

    private static void copied(Object copy, Class<?> from, int id) {
        try {
            Predicate<Class<?>> question = CLONES;
            ObjIntConsumer<Object> sink = LIVE_OTHERS;
            if (question != null && sink != null && question.test(from)) {
                sink.accept(copy, ~(BASE + id));
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** An object of the class with this id is complete; it never comes here, so that its allocation may be removed. */
    public static void count(int id) {
        try {
            IntConsumer sink = COUNT;
            if (sink != null) {
                sink.accept(BASE + id);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** The constructor of {@code c} returns normally for an object of class {@code k}. */
    public static void countOwn(Class<?> k, Class<?> c, int id) {
        if (k == c) {
            count(id);
        }
    }

    /** The constructor of {@code c} returns normally for an object of class {@code k}, which may have no probes. */
    public static void countAll(Class<?> k, Class<?> c, int id) {
        if (k == c) {
            count(id);
        } else {
            countOther(k, id);
        }
    }

    private static void countOther(Class<?> k, int id) {
        try {
            ObjIntConsumer<Object> sink = COUNT_OTHERS;
            if (sink != null) {
                sink.accept(k, BASE + id);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** A method with the roles of this id is entered; gives the number for the other calls. A refusal is thrown. */
    public static long enter(int id) {
        try {
            IntToLongFunction sink = ENTER;
            return sink == null ? 0 : sink.applyAsLong(id);
        } catch (Error never) {
            // A refusal is none.
            return 0;
        }
    }

    /** It returns. */
    public static void exit(int id, long n) {
        leave(n);
    }

    /** It ends by an exception. */
    public static void raise(int id, long n) {
        leave(n);
    }

    private static void leave(long n) {
        try {
            LongConsumer sink = LEAVE;
            if (sink != null) {
                sink.accept(n);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** A method is about to start, or a loop to run once more. What ends them is thrown. */
    public static void checkpoint() {
        try {
            Runnable sink = CHECKPOINT;
            if (sink != null) {
                sink.run();
            }
        } catch (StackOverflowError | OutOfMemoryError never) {
            // What ends the method is another error.
        }
    }

    /** A method is out of memory; whether it runs again from its start. */
    public static boolean again(int id, long n) {
        try {
            LongPredicate sink = AGAIN;
            return sink != null && sink.test(n);
        } catch (Throwable never) {
            // As above.
            return false;
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> link() throws Throwable {
        Class<?> linker = Class.forName("io.weighbridge.runtime.Linker", true, ClassLoader.getSystemClassLoader());
        Object instance = linker.getDeclaredConstructor().newInstance();
        Map<String, Object> request = new HashMap<>();
        request.put("contract", CONTRACT);
        request.put("bridge", Bridge.class);
        request.put("table", table());
        return ((UnaryOperator<Map<String, Object>>) instance).apply(request);
    }

    @SuppressWarnings("unchecked")
    private static ObjIntConsumer<Object> sink(Object value) {
        return (ObjIntConsumer<Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static Predicate<Class<?>> question(Object value) {
        return (Predicate<Class<?>>) value;
    }

    /** Replaced by the rewriter with the table of this jar. */
    private static String table() {
        return "";
    }
}
