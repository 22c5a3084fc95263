package io.weighbridge.runtime;

import java.util.function.ObjIntConsumer;

/**
 * Takes what {@link LiveProbe} does not: an id from a constructor that has returned for an object of a subclass, which
 * may be registered by its own; {@code ~id} from a method of the class that has copied an object.
 */
final class LiveOthersProbe implements ObjIntConsumer<Object> {
    static final LiveOthersProbe INSTANCE = new LiveOthersProbe();

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
            arrived(o, known);
        }
    }

    /** An object of a class whose nearest instrumented one is known, if it has any: to be counted now. */
    static void arrived(Object o, NearestClass.Answer nearest) {
        if (nearest.live) {
            LiveProbe.INSTANCE.accept(o, nearest.id);
        } else if (nearest.id >= 0) {
            CountProbe.INSTANCE.accept(nearest.id);
        }
    }

    private static void copied(Object o, int id) {
        UncommonPath.copy(o, ~id);
    }

    private static void subclass(Object o, int id) {
        UncommonPath.subclass(o, id);
    }
}
