package io.weighbridge.runtime;

import io.weighbridge.runtime.control.Life;
import io.weighbridge.runtime.control.Requests;
import io.weighbridge.runtime.control.Session;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.probe.Tags;
import io.weighbridge.runtime.record.ComponentNodes;
import io.weighbridge.runtime.registry.Registry;
import io.weighbridge.runtime.shortage.Shortage;
import java.lang.reflect.InvocationTargetException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Calls of the program. Public for the API's package only.
 *
 * <p>The API's class may be a second copy, in an application's own loader. The runtime is the copy that bridges find, in
 * the system class loader. So every call goes there, by name if it must, and only JDK types are passed.
 */
public final class Measuring {
    private static final Class<?> HOME = home();

    private Measuring() {
    }

    /** See {@code Weighbridge.measure}. */
    public static boolean request(String label) {
        if (HOME != Measuring.class) {
            return Boolean.TRUE.equals(elsewhere("request", new Class<?>[] {String.class}, label));
        }
        try {
            return Life.startedByRequest().measure(label);
        } catch (Throwable t) {
            Notices.failure("a measurement failed", t);
            return false;
        }
    }

    /** {@code {young, full, first number, end of numbers}} of an object's age range, or null if it is not tracked. */
    public static long[] age(Object o) {
        if (HOME != Measuring.class) {
            return (long[]) elsewhere("age", new Class<?>[] {Object.class}, o);
        }
        try {
            Registry registry = Life.registry();
            return registry == null ? null : registry.age(o);
        } catch (Throwable t) {
            Notices.failure("an age could not be told", t);
            return null;
        }
    }

    /** Opens a scope on this thread; gives what {@link #restore} takes. */
    public static int enter(String key, String value) {
        if (HOME != Measuring.class) {
            return number(elsewhere("enter", new Class<?>[] {String.class, String.class}, key, value));
        }
        try {
            int before = Tags.current();
            Stripes.tag(Tags.with(before, key, value));
            return before;
        } catch (Throwable t) {
            Notices.failure("a scope could not be opened", t);
            return Tags.NONE;
        }
    }

    /** Begins work that can be cancelled, if memory shortages are watched; gives what {@link #end} takes, or null. */
    public static Object begin(String key, String value) {
        if (HOME != Measuring.class) {
            return elsewhere("begin", new Class<?>[] {String.class, String.class}, key, value);
        }
        try {
            Shortage shortage = shortage();
            if (shortage == null) {
                return null;
            }
            int entered = Inside.enter();
            try {
                return shortage.begin(key, value);
            } finally {
                Inside.leave(entered);
            }
        } catch (Throwable t) {
            Notices.failure("a scope could not be opened", t);
            return null;
        }
    }

    /** Ends work of this thread; {@code work}: not null. */
    public static void end(Object work) {
        if (HOME != Measuring.class) {
            elsewhere("end", new Class<?>[] {Object.class}, work);
            return;
        }
        try {
            Shortage shortage = shortage();
            if (shortage != null) {
                shortage.end(work);
            }
        } catch (Throwable t) {
            Notices.failure("a scope could not be closed", t);
        }
    }

    /** Why this thread's work is to end now, or null. */
    public static String due() {
        if (HOME != Measuring.class) {
            return (String) elsewhere("due", new Class<?>[0]);
        }
        try {
            Shortage shortage = shortage();
            return shortage == null ? null : shortage.due();
        } catch (Throwable t) {
            return null;
        }
    }

    /** See {@code Weighbridge.admit}. */
    public static boolean admit(String key, String value) {
        if (HOME != Measuring.class) {
            return !Boolean.FALSE.equals(elsewhere("admit", new Class<?>[] {String.class, String.class}, key, value));
        }
        try {
            Shortage shortage = shortage();
            return shortage == null || shortage.admit(key, value);
        } catch (Throwable t) {
            Notices.failure("an admission could not be decided", t);
            return true;
        }
    }

    private static Shortage shortage() {
        Session session = Life.current();
        return session == null ? null : session.shortage();
    }

    /** The tags in force on this thread. */
    public static int current() {
        return HOME != Measuring.class ? number(elsewhere("current", new Class<?>[0])) : Tags.current();
    }

    /** Puts tags in force on this thread. */
    public static void restore(int tags) {
        if (HOME != Measuring.class) {
            elsewhere("restore", new Class<?>[] {int.class}, tags);
            return;
        }
        try {
            Stripes.tag(tags);
        } catch (Throwable t) {
            Notices.failure("a scope could not be changed", t);
        }
    }

    /** See {@code Weighbridge.node}. */
    public static void node(String name, Object held) {
        if (HOME != Measuring.class) {
            elsewhere("node", new Class<?>[] {String.class, Object.class}, name, held);
            return;
        }
        try {
            if (isWanted()) {
                ComponentNodes.name(name, held);
            }
        } catch (Throwable t) {
            Notices.failure("a component node could not be made", t);
        }
    }

    /** See {@code Weighbridge.nodes}. */
    public static void nodes(Consumer<BiConsumer<String, Object>> source) {
        if (HOME != Measuring.class) {
            elsewhere("nodes", new Class<?>[] {Consumer.class}, source);
            return;
        }
        try {
            if (isWanted()) {
                ComponentNodes.source(source);
            }
        } catch (Throwable t) {
            Notices.failure("a source of component nodes could not be kept", t);
        }
    }

    /** See {@code Weighbridge.request}. */
    public static String ask(String line) {
        if (HOME != Measuring.class) {
            return (String) elsewhere("ask", new Class<?>[] {String.class}, line);
        }
        try {
            return Requests.ask(line);
        } catch (Throwable t) {
            Notices.failure("a request could not be made", t);
            return null;
        }
    }

    /** See {@code Weighbridge.dumpHeap}. */
    public static boolean dumpHeap(String file) {
        if (HOME != Measuring.class) {
            return Boolean.TRUE.equals(elsewhere("dumpHeap", new Class<?>[] {String.class}, file));
        }
        try {
            return Life.startedByRequest().dumpHeap(file);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        } catch (Throwable t) {
            Notices.failure("a heap dump failed", t);
            return false;
        }
    }

    /** See {@code Weighbridge.disable}. */
    public static void disable() {
        if (HOME != Measuring.class) {
            elsewhere("disable", new Class<?>[0]);
            return;
        }
        try {
            Life.startedByRequest().disable();
        } catch (Throwable t) {
            Notices.failure("the runtime could not be switched off", t);
        }
    }

    /** Before anything has started the runtime, too. */
    private static boolean isWanted() {
        Session session = Life.current();
        return session == null || session.isOn();
    }

    private static int number(Object answer) {
        return answer == null ? Tags.NONE : (Integer) answer;
    }

    private static Class<?> home() {
        try {
            return Class.forName("io.weighbridge.runtime.Measuring", true, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException | LinkageError | RuntimeException onlyHere) {
            // The program carries the runtime in a loader of its own, where bridges do not find it.
            return Measuring.class;
        }
    }

    private static Object elsewhere(String method, Class<?>[] types, Object... arguments) {
        try {
            return HOME.getMethod(method, types).invoke(null, arguments);
        } catch (InvocationTargetException | IllegalAccessException | NoSuchMethodException | RuntimeException e) {
            return null;
        }
    }
}
