package io.weighbridge.runtime.probe;

import java.util.function.ObjIntConsumer;

/** Replaces the runtime's probe: counts each copy for the class that made it, and ignores subclasses. */
public final class LiveOthersProbe implements ObjIntConsumer<Object> {
    public static final LiveOthersProbe INSTANCE = new LiveOthersProbe();

    private LiveOthersProbe() {
    }

    @Override
    public void accept(Object o, int id) {
        if (id < 0) {
            LiveProbe.INSTANCE.accept(o, ~id);
        }
    }
}
