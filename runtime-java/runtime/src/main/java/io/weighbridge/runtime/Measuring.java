package io.weighbridge.runtime;

import java.lang.reflect.InvocationTargetException;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Passes the calls of the program to the runtime that counts. Public for the API's package only.
 *
 * <p>There may be several copies of this class, and each call ends at one runtime:
 * <ul>
 * <li>The runtime is on the class path. Bridges find it in the system class loader, and so do all copies.
 * <li>The native agent has brought a runtime in a loader of its own. It has then defined the API, with this class and nothing
 * else of the runtime, in the system class loader, and tells it the runtime of its session ({@link #serve}). Between sessions
 * nothing happens: nothing is measured, everything is admitted.
 * <li>Neither: the program carries a runtime in a loader of its own, where bridges do not find it. That one answers.
 * </ul>
 * Only JDK types are passed, by name if it must be: {@link RuntimeCalls#apply}.
 */
public final class Measuring {
    private static final Class<?> HOME = home();
    /** Whether there is a runtime beside this copy, which answers. */
    private static final boolean HAS_RUNTIME = HOME == Measuring.class && hasRuntime();
    /** As {@code Requests} replies without an agent. */
    private static final String NOBODY = "{\"v\":1,\"id\":null,\"error\":\"no agent takes requests in this JVM\"}";
    /** The runtime of the agent's session; null without one. */
    private static volatile BiFunction<String, Object[], Object> session;

    private Measuring() {
    }

    /** For a runtime in a loader of its own: from now on it answers, or nobody if it is null. */
    public static void serve(BiFunction<String, Object[], Object> runtime) {
        session = runtime;
    }

    /** For other copies of this class: a call by the name of its method. */
    public static Object call(String method, Object[] arguments) {
        BiFunction<String, Object[], Object> runtime = session;
        if (runtime != null) {
            return runtime.apply(method, arguments);
        }
        if (HAS_RUNTIME) {
            return RuntimeCalls.INSTANCE.apply(method, arguments);
        }
        return HOME == Measuring.class ? null : elsewhere(method, arguments);
    }

    private static boolean isHere() {
        return HAS_RUNTIME && session == null;
    }

    /** See {@code Weighbridge.measure}. */
    public static boolean request(String label) {
        return isHere() ? RuntimeCalls.request(label) : Boolean.TRUE.equals(call("request", new Object[] {label}));
    }

    /** {@code {young, full, first number, end of numbers}} of an object's age range, or null if it is not tracked. */
    public static long[] age(Object o) {
        return isHere() ? RuntimeCalls.age(o) : (long[]) call("age", new Object[] {o});
    }

    /** Opens a scope on this thread; gives what {@link #restore} takes. */
    public static long enter(String key, String value) {
        return isHere() ? RuntimeCalls.enter(key, value) : number(call("enter", new Object[] {key, value}));
    }

    /** Begins work that can be cancelled, if memory shortages are watched; gives what {@link #end} takes, or 0. */
    public static long begin(String key, String value) {
        return isHere() ? RuntimeCalls.begin(key, value) : number(call("begin", new Object[] {key, value}));
    }

    /** Ends work of this thread; {@code work}: not 0. */
    public static void end(long work) {
        if (isHere()) {
            RuntimeCalls.end(work);
        } else {
            call("end", new Object[] {work});
        }
    }

    /** Why this thread's work is to end now, or null. Needs no memory: a checkpoint is passed when there is none. */
    public static String due() {
        return isHere() ? RuntimeCalls.due() : (String) call("due", null);
    }

    /** See {@code Weighbridge.admit}. */
    public static boolean admit(String key, String value) {
        return isHere() ? RuntimeCalls.admit(key, value) : !Boolean.FALSE.equals(call("admit", new Object[] {key, value}));
    }

    /** The tags in force on this thread. */
    public static long current() {
        return isHere() ? RuntimeCalls.current() : number(call("current", null));
    }

    /** Puts tags in force on this thread; those of a runtime that has gone are ignored. */
    public static void restore(long tags) {
        if (isHere()) {
            RuntimeCalls.restore(tags);
        } else {
            call("restore", new Object[] {tags});
        }
    }

    /** See {@code Weighbridge.node}. */
    public static void node(String name, Object held) {
        if (isHere()) {
            RuntimeCalls.node(name, held);
        } else {
            call("node", new Object[] {name, held});
        }
    }

    /** See {@code Weighbridge.nodes}. */
    public static void nodes(Consumer<BiConsumer<String, Object>> source) {
        if (isHere()) {
            RuntimeCalls.nodes(source);
        } else {
            call("nodes", new Object[] {source});
        }
    }

    /** See {@code Weighbridge.request}. */
    public static String ask(String line) {
        if (isHere()) {
            return RuntimeCalls.ask(line);
        }
        String reply = (String) call("ask", new Object[] {line});
        return reply == null ? NOBODY : reply;
    }

    /** See {@code Weighbridge.dumpHeap}. */
    public static boolean dumpHeap(String file) {
        return isHere() ? RuntimeCalls.dumpHeap(file) : Boolean.TRUE.equals(call("dumpHeap", new Object[] {file}));
    }

    /** See {@code Weighbridge.disable}. */
    public static void disable() {
        if (isHere()) {
            RuntimeCalls.disable();
        } else {
            call("disable", null);
        }
    }

    private static long number(Object answer) {
        return answer == null ? 0 : (Long) answer;
    }

    private static Class<?> home() {
        try {
            return Class.forName("io.weighbridge.runtime.Measuring", true, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException | LinkageError | RuntimeException onlyHere) {
            return Measuring.class;
        }
    }

    /** Not by asking for the class: what is not found is an exception, at which a debugger may stop. */
    private static boolean hasRuntime() {
        try {
            return Measuring.class.getResource("RuntimeCalls.class") != null;
        } catch (RuntimeException hidden) {
            return true;
        }
    }

    private static Object elsewhere(String method, Object[] arguments) {
        try {
            return HOME.getMethod("call", String.class, Object[].class).invoke(null, method, arguments);
        } catch (InvocationTargetException | IllegalAccessException | NoSuchMethodException | RuntimeException e) {
            return null;
        }
    }
}
