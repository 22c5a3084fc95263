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
        if (id < 0 || !NearestClass.registersItself(o.getClass())) {
            subclassOrCopy(o, id);
        }
    }

    private static void subclassOrCopy(Object o, int id) {
        OutOfLine.live(o, id);
    }
}
