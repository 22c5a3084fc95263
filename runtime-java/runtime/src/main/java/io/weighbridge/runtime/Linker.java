package io.weighbridge.runtime;

import io.weighbridge.runtime.control.Life;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.ClonesProbe;
import io.weighbridge.runtime.probe.CountOthersProbe;
import io.weighbridge.runtime.probe.CountProbe;
import io.weighbridge.runtime.probe.FirstUse;
import io.weighbridge.runtime.probe.LiveOthersProbe;
import io.weighbridge.runtime.probe.LiveProbe;
import io.weighbridge.runtime.probe.NearestClass;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The entrance for bridges (docs/probe-contract.md): takes a jar's table, gives the probes and the jar's first id.
 *
 * <p>A static initializer calls it, and the program may hold any lock then. So it waits for no other thread (but one that
 * is reading another table), opens no file, and calls no code of the program. It does not throw; the bridge would survive
 * it.
 */
public final class Linker implements UnaryOperator<Map<String, Object>> {
    /** For the bridge, by reflection. */
    public Linker() {
    }

    /**
     * Links one jar.
     *
     * @param request {@code contract}, an Integer; {@code bridge}, a Class; {@code table}, a String
     * @return {@code live}, {@code liveOthers} and {@code countOthers}, each an {@code ObjIntConsumer<Object>}; {@code
     *         count}, an {@code IntConsumer}; {@code clones}, a {@code Predicate<Class<?>>}; {@code base}, an Integer. The base
     *         alone if the runtime is disabled or does not know the contract
     */
    @Override
    public Map<String, Object> apply(Map<String, Object> request) {
        Map<String, Object> answer = new HashMap<>();
        answer.put("base", 0);
        try {
            Class<?> bridge = (Class<?>) request.get("bridge");
            if ((Integer) request.get("contract") == LinkTable.CONTRACT) {
                LinkTable table = LinkTable.parse((String) request.get("table"));
                if (table.contract == LinkTable.CONTRACT && Life.admit(table)) {
                    FirstUse.prepare();
                    boolean isNew = ClassTable.add(table, loaderOf(bridge));
                    NearestClass.forget();
                    if (isNew) {
                        Life.linked(table);
                    }
                    answer.putAll(Map.of("live", LiveProbe.INSTANCE, "liveOthers", LiveOthersProbe.INSTANCE,
                            "count", CountProbe.INSTANCE, "countOthers", CountOthersProbe.INSTANCE,
                            "clones", ClonesProbe.INSTANCE, "base", table.base));
                }
            }
        } catch (Throwable t) {
            Notices.failure("a rewritten jar could not be linked", t);
        }
        return answer;
    }

    private static ClassLoader loaderOf(Class<?> bridge) {
        try {
            return bridge.getClassLoader();
        } catch (SecurityException hidden) {
            return ClassLoader.getSystemClassLoader();
        }
    }
}
