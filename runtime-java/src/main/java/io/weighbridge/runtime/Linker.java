package io.weighbridge.runtime;

import io.weighbridge.runtime.control.Life;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.link.Linked;
import io.weighbridge.runtime.link.Linking;
import java.util.function.UnaryOperator;

/**
 * The entrance for bridges (docs/probe-contract.md): takes a jar's table, gives back the probes and the
 * jar's first id.
 *
 * <p>It is called from a static initializer, with any lock of the program held, so it waits for no other thread
 * (but one that is reading another table), opens no file, and calls no code of the program's. It does not throw;
 * the bridge would survive it.
 */
public final class Linker implements UnaryOperator<Object[]> {
    /** For the bridge, by reflection. */
    public Linker() {
    }

    /**
     * Links one jar.
     *
     * @param request {@code {Integer contract, Class<?> bridge, String table}}
     * @return {@code {ObjIntConsumer<Object> live, ObjIntConsumer<Object> liveOthers, IntConsumer count,
     *         ObjIntConsumer<Object> countOthers, IntConsumer claim, IntPredicate claimed, Integer base}}; all but the base are
     *         null if the runtime is disabled or does not know the contract
     */
    @Override
    public Object[] apply(Object[] request) {
        try {
            Class<?> bridge = (Class<?>) request[1];
            String text = (String) request[2];
            if ((Integer) request[0] == LinkTable.CONTRACT) {
                LinkTable table = LinkTable.parse(text);
                if (table.contract == LinkTable.CONTRACT && Life.admit(table)) {
                    Linked linked = Linking.link(table, text, loaderOf(bridge));
                    if (linked != null) {
                        Life.linked(linked);
                    }
                    return Linking.probes(text);
                }
            }
        } catch (Throwable t) {
            Notices.failure("a rewritten jar could not be linked", t);
        }
        return new Object[] {null, null, null, null, null, null, 0};
    }

    private static ClassLoader loaderOf(Class<?> bridge) {
        try {
            return bridge.getClassLoader();
        } catch (SecurityException hidden) {
            return ClassLoader.getSystemClassLoader();
        }
    }
}
