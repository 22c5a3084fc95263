package io.weighbridge.runtime.probe;

import io.weighbridge.runtime.jvm.NativeAgent;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The threads that are inside the runtime: what they construct there is the runtime's own, and is not counted.
 *
 * <p>Only classes of the JDK can be constructed by both, so this costs nothing until one of them has probes. Then a probe's
 * slow path, a sweep and a measurement are each entered once; a probe that is met on the way returns at once. That also
 * ends any recursion. Nothing here constructs an object.
 */
public final class Inside {
    /** What {@link #enter} gives to a thread that is inside already. */
    static final int NESTED = -1;
    /** Nobody has to ask. */
    private static final int UNNEEDED = -2;
    /** There is no place for one more thread: it goes on without being marked. */
    private static final int UNMARKED = -3;
    private static final int PLACES = 1024;
    private static final AtomicReferenceArray<Thread> THREADS = new AtomicReferenceArray<>(PLACES);

    private Inside() {
    }

    /** Marks the current thread; gives what {@link #leave} takes, or {@link #NESTED}. */
    public static int enter() {
        if (!NativeAgent.changesJdk()) {
            return UNNEEDED;
        }
        Thread current = Thread.currentThread();
        int first = System.identityHashCode(current);
        for (int i = 0; i < PLACES; i++) {
            int place = first + i & PLACES - 1;
            Thread there = THREADS.get(place);
            if (there == current) {
                return NESTED;
            }
            if (there == null && THREADS.compareAndSet(place, null, current)) {
                Stripes.hide(current);
                return place;
            }
        }
        return UNMARKED;
    }

    /** Takes the mark away, if that call of {@link #enter} has made it. */
    public static void leave(int entered) {
        if (entered >= 0) {
            Stripes.show(THREADS.getAndSet(entered, null));
        }
    }
}
