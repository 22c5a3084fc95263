package io.weighbridge.runtime.probe;

import io.weighbridge.runtime.jvm.NativeAgent;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The threads that are inside the runtime: what they construct there is the runtime's own, and is not counted.
 *
 * <p>Only classes of the JDK can be constructed by both, so this costs nothing until one of them has probes. Then a probe's
 * slow path, a sweep and a measurement are each entered once; a probe that is met on the way returns at once. That also
 * ends any recursion. Nothing here constructs an object, nor has the JVM do so: the classes of
 * {@code java.util.concurrent.atomic} may just have got probes, and their calls of {@link VarHandle}s are then linked anew.
 */
public final class Inside {
    /** What {@link #enter} gives to a thread that is inside already. */
    public static final int NESTED = -1;
    /** Nobody has to ask. */
    private static final int UNNEEDED = -2;
    /** A thread is in the row of its hash. All of a row is looked at: an element before the thread's may have become free. */
    private static final int ROWS = 256;
    private static final int ROW = 16;
    private static final Thread[] THREADS = new Thread[ROWS * ROW];
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(Thread[].class);

    static {
        // Links the call.
        take(0, null);
    }

    private Inside() {
    }

    /** Marks the current thread; gives what {@link #leave} takes, or {@link #NESTED}. */
    public static int enter() {
        return NativeAgent.changesJdk() ? mark() : UNNEEDED;
    }

    /** The same for what takes long: meanwhile the first class of the JDK may get probes. */
    public static int enterForLong() {
        return NativeAgent.isPresent() ? mark() : UNNEEDED;
    }

    private static int mark() {
        Thread current = Thread.currentThread();
        int first = (System.identityHashCode(current) & ROWS - 1) * ROW;
        for (int i = first; i < first + ROW; i++) {
            // Only the thread itself writes it here.
            if (THREADS[i] == current) {
                return NESTED;
            }
        }
        for (int i = first; i < first + ROW; i++) {
            if (take(i, current)) {
                try {
                    Stripes.hide(current);
                } catch (Throwable noStack) {
                    // Else the thread would never be outside again.
                    THREADS[i] = null;
                    throw noStack;
                }
                return i;
            }
        }
        // Better one object missed than a thread that recurses.
        return NESTED;
    }

    private static boolean take(int i, Thread current) {
        return ELEMENT.compareAndSet(THREADS, i, (Thread) null, current);
    }

    /** Takes the mark away, if that call of {@link #enter} has made it. */
    public static void leave(int entered) {
        if (entered >= 0) {
            Thread current = THREADS[entered];
            THREADS[entered] = null;
            Stripes.show(current);
        }
    }
}
