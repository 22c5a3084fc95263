package io.weighbridge.runtime.probe;

import java.util.function.ObjIntConsumer;

/**
 * Takes what {@link LiveProbe} does not: an id from a constructor that has returned for an object of a subclass, which
 * may be registered by its own; {@code ~id} from a method of the class that has copied an object.
 */
public final class LiveOthersProbe implements ObjIntConsumer<Object> {
    /** The one for all jars. */
    public static final LiveOthersProbe INSTANCE = new LiveOthersProbe();

    private LiveOthersProbe() {
    }

    @Override
    public void accept(Object o, int id) {
        if (id < 0) {
            copy(o, id);
        } else if (!NearestClass.registersItself(o.getClass())) {
            subclass(o, id);
        }
    }

    private static void copy(Object o, int id) {
        NearestClass.Answer known = NearestClass.known(o.getClass());
        if (known == null) {
            copied(o, id);
        } else {
            known.count(o);
        }
    }

    private static void copied(Object o, int id) {
        SlowOthers.copy(o, ~id);
    }

    private static void subclass(Object o, int id) {
        SlowOthers.subclass(o, id);
    }
}
