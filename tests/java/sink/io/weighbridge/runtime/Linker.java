package io.weighbridge.runtime;

import java.lang.reflect.Method;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.function.ObjIntConsumer;
import java.util.function.UnaryOperator;

/** A stand-in for the runtime that tells each call to the test's {@code Sink}. */
public final class Linker implements UnaryOperator<Object[]> {
    private final Method call;
    private int claims = -1;

    public Linker() throws ReflectiveOperationException {
        call = Class.forName("Sink").getMethod("call", String.class);
    }

    @Override
    public Object[] apply(Object[] in) {
        tell("link contract " + in[0] + ", table " + in[2]);
        ObjIntConsumer<Object> live = (o, id) -> tell("live " + o.getClass().getName() + " " + id);
        ObjIntConsumer<Object> liveOthers = (o, id) -> tell("live other " + o.getClass().getName() + " " + id);
        IntConsumer count = id -> tell("count " + id);
        ObjIntConsumer<Object> countOthers = (k, id) -> tell("count other " + k + " " + id);
        IntConsumer claim = id -> {
            tell("claim " + id);
            claims = id;
        };
        IntPredicate claimed = id -> {
            boolean is = claims == id;
            claims = -1;
            tell("claimed " + id + " " + is);
            return is;
        };
        return new Object[] {live, liveOthers, count, countOthers, claim, claimed, 1000};
    }

    private void tell(String text) {
        try {
            call.invoke(null, text);
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
