package io.weighbridge.template;

import io.weighbridge.runtime.contract.TraceContract;
import java.util.function.IntConsumer;
import java.util.function.IntToLongFunction;
import java.util.function.LongBinaryOperator;
import java.util.function.ObjIntConsumer;
import java.util.function.ObjLongConsumer;
import java.util.function.ToLongBiFunction;

/**
 * What the probes of traces call. The native agent defines it under another name in the boot loader when the first trace
 * begins, and sets its fields (docs/probe-contract.md, "Traces"). Without receivers it does nothing.
 */
public final class Traces {
    /** Gives the number of a call: not 0 if its end is of interest, too. */
    static IntToLongFunction ENTER;
    /** A call ends: its method, or the complement if by an exception; and its number. */
    static LongBinaryOperator LEAVE;
    /** An object is complete; the complement if no constructor ran. */
    static ObjIntConsumer<Object> MADE;
    /** Probe sites that were reached, by trace, page and index in the page. */
    static boolean[][][] HITS;
    /** A site of a page that does not exist. */
    static IntConsumer MISSING;
    /** An object is used, or with bit 32 in the number an argument of the method that is entered next; it may be null. */
    static ObjLongConsumer<Object> USED;
    /** A method that opens scopes is entered, with an object that tells them or null; gives what {@link #ENTER} does. */
    static ToLongBiFunction<Object, Integer> OPENED;

    /** The 7 high bits of a number of 30 are the trace, the next 11 the page, the rest the index in the page. */
    private static final int TRACE = TraceContract.PROBE_BITS;
    private static final int PAGE = TraceContract.PAGE_BITS;
    private static final int PAGES = (1 << TRACE - PAGE) - 1;
    private static final int INDICES = (1 << PAGE) - 1;
    private static final long ARGUMENT = 1L << 32;

    private Traces() {
    }

    /** A method is entered. */
    public static long enter(int id) {
        try {
            IntToLongFunction sink = ENTER;
            return sink == null ? 0 : sink.applyAsLong(id);
        } catch (Throwable never) {
            // The program must not see a failure of its trace.
            return 0;
        }
    }

    /** A method that opens scopes is entered. */
    public static long opened(Object o, int id) {
        try {
            ToLongBiFunction<Object, Integer> sink = OPENED;
            return sink == null ? 0 : sink.applyAsLong(o, id);
        } catch (Throwable never) {
            // As above.
            return 0;
        }
    }

    /** It returns. */
    public static void exit(int id, long n) {
        if (n != 0) {
            leave(id, n);
        }
    }

    /** It ends by an exception. */
    public static void raise(int id, long n) {
        if (n != 0) {
            leave(~id, n);
        }
    }

    private static void leave(int id, long n) {
        try {
            LongBinaryOperator sink = LEAVE;
            if (sink != null) {
                sink.applyAsLong(id, n);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** An object of the class with this id is complete. */
    public static void live(Object o, int id) {
        try {
            ObjIntConsumer<Object> sink = MADE;
            if (sink != null) {
                sink.accept(o, id);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** The constructor of {@code c} returns normally for {@code o}; only objects of the class itself are told. */
    public static void liveOwn(Object o, Class<?> c, int id) {
        if (o.getClass() == c) {
            live(o, id);
        }
    }

    /** {@code Object.clone} has made {@code copy} for a method of the class with this id, maybe of a class below it. */
    public static void copied(Object copy, int id) {
        live(copy, ~id);
    }

    /** An object is used, of a class with this id or of one below it; it may be null. */
    public static void used(Object o, int id) {
        try {
            ObjLongConsumer<Object> sink = USED;
            if (sink != null) {
                sink.accept(o, id);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** The method that is entered next has this argument. */
    public static void argument(Object o, int id) {
        try {
            ObjLongConsumer<Object> sink = USED;
            if (sink != null) {
                sink.accept(o, ARGUMENT | id);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** A line is reached. */
    public static void hit(int id) {
        boolean[][][] all = HITS;
        if (all != null) {
            boolean[][] pages = all[id >>> TRACE];
            if (pages != null) {
                boolean[] page = pages[id >>> PAGE & PAGES];
                if (page != null) {
                    page[id & INDICES] = true;
                } else {
                    missing(id);
                }
            }
        }
    }

    private static void missing(int id) {
        try {
            IntConsumer sink = MISSING;
            if (sink != null) {
                sink.accept(id);
            }
        } catch (Throwable never) {
            // As above.
        }
    }
}
