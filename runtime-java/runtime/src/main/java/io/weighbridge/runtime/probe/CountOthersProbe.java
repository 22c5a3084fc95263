package io.weighbridge.runtime.probe;

import java.util.function.ObjIntConsumer;

/**
 * Takes what {@link CountProbe} does not: a constructor has returned for an object of a subclass, which may be counted
 * by its own. The argument is the object's class, never the object.
 */
public final class CountOthersProbe implements ObjIntConsumer<Object> {
    /** The one for all jars. */
    public static final CountOthersProbe INSTANCE = new CountOthersProbe();

    private CountOthersProbe() {
    }

    @Override
    public void accept(Object subclass, int id) {
        Class<?> type = (Class<?>) subclass;
        if (!NearestClass.registersItself(type)) {
            subclass(type, id);
        }
    }

    private static void subclass(Class<?> type, int id) {
        SlowOthers.subclass(type, id);
    }
}
