package io.weighbridge.runtime.probe;

import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;

/**
 * The probes of a native agent's session that is not the first one of its JVM. Its ids begin where those of the last session
 * ended, because code of an earlier session may still run: a constructor that has not returned, or a class that was loaded
 * while the session ended. What such code tells is ignored.
 *
 * <p>Costs a subtraction and a comparison for each object, which the first session does not pay.
 */
public final class LaterProbes {
    private LaterProbes() {
    }

    /** For {@link LiveProbe}, {@link LiveOthersProbe}, {@link CountProbe} and {@link CountOthersProbe}. */
    public static Object[] receivers(int first) {
        return first == 0
                ? new Object[] {LiveProbe.INSTANCE, LiveOthersProbe.INSTANCE, CountProbe.INSTANCE, CountOthersProbe.INSTANCE}
                : new Object[] {new Live(first), new LiveOthers(first), new Count(first), new CountOthers(first)};
    }

    private static final class Live implements ObjIntConsumer<Object> {
        private final int first;

        Live(int first) {
            this.first = first;
        }

        @Override
        public void accept(Object o, int id) {
            if (id >= first) {
                LiveProbe.INSTANCE.accept(o, id - first);
            }
        }
    }

    private static final class LiveOthers implements ObjIntConsumer<Object> {
        private final int first;

        LiveOthers(int first) {
            this.first = first;
        }

        /** The complement is that of a copy: see {@link LiveOthersProbe}. */
        @Override
        public void accept(Object o, int id) {
            if (id >= first) {
                LiveOthersProbe.INSTANCE.accept(o, id - first);
            } else if (~id >= first) {
                LiveOthersProbe.INSTANCE.accept(o, ~(~id - first));
            }
        }
    }

    private static final class Count implements IntConsumer {
        private final int first;

        Count(int first) {
            this.first = first;
        }

        @Override
        public void accept(int id) {
            if (id >= first) {
                CountProbe.INSTANCE.accept(id - first);
            }
        }
    }

    private static final class CountOthers implements ObjIntConsumer<Object> {
        private final int first;

        CountOthers(int first) {
            this.first = first;
        }

        @Override
        public void accept(Object subclass, int id) {
            if (id >= first) {
                CountOthersProbe.INSTANCE.accept(subclass, id - first);
            }
        }
    }
}
