package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.contract.TraceContract;
import io.weighbridge.runtime.probe.Inside;
import java.util.function.IntConsumer;
import java.util.function.IntToLongFunction;
import java.util.function.LongBinaryOperator;
import java.util.function.ObjIntConsumer;
import java.util.function.ObjLongConsumer;
import java.util.function.ToLongBiFunction;

/**
 * What the probes of traces call (docs/probe-contract.md, "Traces"). A number has a trace's number in its high bits, and a probe site
 * of that trace in the others.
 */
public final class Traces
        implements IntToLongFunction, LongBinaryOperator, ObjIntConsumer<Object>, IntConsumer, ObjLongConsumer<Object>,
        ToLongBiFunction<Object, Integer> {
    /** The one for all probes. */
    public static final Traces INSTANCE = new Traces();
    private static final int SHIFT = TraceContract.PROBE_BITS;
    private static final int SITE = (1 << SHIFT) - 1;
    private static final Trace[] TRACES = new Trace[TraceContract.NUMBERS];
    /** Of those that mark probe sites. The agent gives it to the class that the probes call. */
    private static final boolean[][][] PAGES = new boolean[TraceContract.NUMBERS][][];

    private Traces() {
    }

    /** What the fields of the class that the probes call get, in the order in which the agent sets them. */
    public static Object[] receivers() {
        return new Object[] {INSTANCE, INSTANCE, INSTANCE, PAGES, INSTANCE, INSTANCE, INSTANCE};
    }

    /** From now on its probes are heard. */
    public static synchronized void add(int number, Trace trace) {
        // What a probe initialises where the program's stack ends has failed for good (JVMS 5.5), be it the JDK's.
        Stacks.here(1);
        new MethodCounter().add(1, false);
        PAGES[number] = trace.pages();
        TRACES[number] = trace;
    }

    /** They are not heard any more. */
    public static synchronized void remove(int number) {
        Trace trace = TRACES[number];
        PAGES[number] = null;
        if (trace != null) {
            trace.end();
            if (!trace.hearsEnds()) {
                TRACES[number] = null;
            }
        }
    }

    /** No probe is heard any more. */
    public static void removeAll() {
        for (int number = 0; number < TraceContract.NUMBERS; number++) {
            remove(number);
        }
    }

    /** A method is entered. */
    @Override
    public long applyAsLong(int id) {
        Trace trace = TRACES[id >>> SHIFT];
        if (trace == null) {
            return 0;
        }
        int entered = Inside.enter();
        if (entered == Inside.NESTED) {
            return 0;
        }
        try {
            return trace.enter(id & SITE);
        } finally {
            Inside.leave(entered);
        }
    }

    /** A method that opens scopes is entered. */
    @Override
    public long applyAsLong(Object object, Integer id) {
        Trace trace = TRACES[id >>> SHIFT];
        if (trace == null) {
            return 0;
        }
        // Asking the object runs code of the program.
        int entered = Inside.enterForLong();
        if (entered == Inside.NESTED) {
            return 0;
        }
        try {
            return trace.opened(object, id & SITE);
        } finally {
            Inside.leave(entered);
        }
    }

    /** It ends; {@code id} is the complement if by an exception. */
    @Override
    public long applyAsLong(long id, long call) {
        int of = (int) (id < 0 ? ~id : id);
        Trace trace = TRACES[of >>> SHIFT];
        if (trace == null) {
            return 0;
        }
        int entered = Inside.enter();
        try {
            trace.leave(of & SITE, call, id < 0);
        } finally {
            Inside.leave(entered);
        }
        return 0;
    }

    /** An object is complete; {@code id} is the complement if it was copied. */
    @Override
    public void accept(Object object, int id) {
        int of = id < 0 ? ~id : id;
        Trace trace = TRACES[of >>> SHIFT];
        if (trace == null) {
            return;
        }
        int entered = Inside.enter();
        if (entered != Inside.NESTED) {
            try {
                trace.made(object, of & SITE, id < 0);
            } finally {
                Inside.leave(entered);
            }
        }
    }

    /** An object is used, or with bit 32 in the number it is an argument. */
    @Override
    public void accept(Object object, long id) {
        Trace trace = TRACES[(int) id >>> SHIFT];
        boolean isArgument = id >>> Integer.SIZE != 0;
        if (trace == null || object == null && !isArgument) {
            return;
        }
        int entered = Inside.enter();
        if (entered != Inside.NESTED) {
            try {
                if (isArgument) {
                    trace.argument(object);
                } else {
                    trace.used(object, (int) id & SITE);
                }
            } finally {
                Inside.leave(entered);
            }
        }
    }

    /** A line is reached whose page does not exist. */
    @Override
    public void accept(int id) {
        Trace trace = TRACES[id >>> SHIFT];
        if (trace != null) {
            trace.missing(id & SITE);
        }
    }
}
