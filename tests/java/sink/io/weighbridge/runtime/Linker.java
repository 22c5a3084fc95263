package io.weighbridge.runtime;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** A stand-in for the runtime that tells each call to the test's {@code Sink}. */
public final class Linker implements UnaryOperator<Map<String, Object>> {
    private final Method call;

    public Linker() throws ReflectiveOperationException {
        call = Class.forName("Sink").getMethod("call", String.class);
    }

    @Override
    public Map<String, Object> apply(Map<String, Object> request) {
        tell("link contract " + request.get("contract") + ", table " + request.get("table"));
        ObjIntConsumer<Object> live = (o, id) -> tell("live " + o.getClass().getName() + " " + id);
        ObjIntConsumer<Object> liveOthers = (o, id) -> tell("live other " + o.getClass().getName() + " " + id);
        IntConsumer count = id -> tell("count " + id);
        ObjIntConsumer<Object> countOthers = (k, id) -> tell("count other " + k + " " + id);
        Predicate<Class<?>> clones = from -> {
            tell("clone of " + from.getName());
            return true;
        };
        Map<String, Object> answer = new HashMap<>();
        answer.put("live", live);
        answer.put("liveOthers", liveOthers);
        answer.put("count", count);
        answer.put("countOthers", countOthers);
        answer.put("clones", clones);
        answer.put("base", 1000);
        return answer;
    }

    private void tell(String text) {
        try {
            call.invoke(null, text);
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
