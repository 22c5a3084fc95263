package io.weighbridge.runtime;

import io.weighbridge.runtime.control.Life;
import io.weighbridge.runtime.control.Requests;
import io.weighbridge.runtime.control.Session;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.Randomness;
import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.probe.Tags;
import io.weighbridge.runtime.record.ComponentNodes;
import io.weighbridge.runtime.registry.Registry;
import io.weighbridge.runtime.shortage.Shortage;
import java.util.function.BiFunction;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Answers the program's calls ({@link Measuring}) with the runtime of this loader. Nothing here throws. Only JDK types are
 * passed: the caller may be in another loader.
 */
public final class RuntimeCalls implements BiFunction<String, Object[], Object> {
    /** For {@link Measuring}. */
    public static final RuntimeCalls INSTANCE = new RuntimeCalls();
    /**
     * In the high half of the numbers of tags: a task that was wrapped, or a scope that was opened, under another runtime of this
     * JVM has numbers that mean something else here.
     */
    private static final long STAMP = (Randomness.seed() | 1) << Integer.SIZE;
    private static final long TAGS = 0xffff_ffffL;

    private RuntimeCalls() {
    }

    /** A call by the name of its method. */
    @Override
    public Object apply(String method, Object[] arguments) {
        switch (method) {
            case "request":
                return request((String) arguments[0]);
            case "age":
                return age(arguments[0]);
            case "enter":
                return enter((String) arguments[0], (String) arguments[1]);
            case "begin":
                return begin((String) arguments[0], (String) arguments[1]);
            case "end":
                end((Long) arguments[0]);
                return null;
            case "due":
                return due();
            case "admit":
                return admit((String) arguments[0], (String) arguments[1]);
            case "current":
                return current();
            case "restore":
                restore((Long) arguments[0]);
                return null;
            case "node":
                node((String) arguments[0], arguments[1]);
                return null;
            case "nodes":
                nodes(consumer(arguments[0]));
                return null;
            case "ask":
                return ask((String) arguments[0]);
            case "dumpHeap":
                return dumpHeap((String) arguments[0]);
            case "disable":
                disable();
                return null;
            default:
                // Of a copy of the API of another version.
                return null;
        }
    }

    @SuppressWarnings("unchecked")
    private static Consumer<BiConsumer<String, Object>> consumer(Object source) {
        return (Consumer<BiConsumer<String, Object>>) source;
    }

    static boolean request(String label) {
        try {
            return Life.startedByRequest().measure(label);
        } catch (Throwable t) {
            Notices.failure("a measurement failed", t);
            return false;
        }
    }

    static long[] age(Object o) {
        try {
            Registry registry = Life.registry();
            return registry == null ? null : registry.age(o);
        } catch (Throwable t) {
            Notices.failure("an age could not be told", t);
            return null;
        }
    }

    static long enter(String key, String value) {
        try {
            int before = Tags.current();
            Stripes.tag(Tags.with(before, key, value));
            return STAMP | before & TAGS;
        } catch (Throwable t) {
            Notices.failure("a scope could not be opened", t);
            return STAMP | Tags.NONE & TAGS;
        }
    }

    static long begin(String key, String value) {
        try {
            Shortage shortage = shortage();
            if (shortage == null) {
                return 0;
            }
            int entered = Inside.enter();
            try {
                return shortage.begin(key, value);
            } finally {
                Inside.leave(entered);
            }
        } catch (Throwable t) {
            Notices.failure("a scope could not be opened", t);
            return 0;
        }
    }

    static void end(long work) {
        try {
            Shortage shortage = shortage();
            if (shortage != null) {
                shortage.leave(work);
            }
        } catch (Throwable t) {
            Notices.failure("a scope could not be closed", t);
        }
    }

    static String due() {
        try {
            Shortage shortage = shortage();
            return shortage == null ? null : shortage.due();
        } catch (Throwable t) {
            return null;
        }
    }

    static boolean admit(String key, String value) {
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

    static long current() {
        return STAMP | Tags.current() & TAGS;
    }

    static void restore(long tags) {
        if ((tags & ~TAGS) != STAMP) {
            return;
        }
        try {
            Stripes.tag((int) tags);
        } catch (Throwable t) {
            Notices.failure("a scope could not be changed", t);
        }
    }

    static void node(String name, Object held) {
        try {
            if (isWanted()) {
                ComponentNodes.name(name, held);
            }
        } catch (Throwable t) {
            Notices.failure("a component node could not be made", t);
        }
    }

    static void nodes(Consumer<BiConsumer<String, Object>> source) {
        try {
            if (isWanted()) {
                ComponentNodes.source(source);
            }
        } catch (Throwable t) {
            Notices.failure("a source of component nodes could not be kept", t);
        }
    }

    static String ask(String line) {
        try {
            return Requests.ask(line);
        } catch (Throwable t) {
            Notices.failure("a request could not be made", t);
            return null;
        }
    }

    static boolean dumpHeap(String file) {
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

    static void disable() {
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
}
