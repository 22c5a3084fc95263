package io.weighbridge.runtime.events;

import io.weighbridge.runtime.jvm.RawFields;
import java.util.function.Function;

/** What an object refers to: {@code {Object[] values, long[] offsets}}; null for nothing. Arrays are not asked for. */
final class Contents implements Function<Object, Object[]> {
    private final ClassNumbers classes;

    Contents(ClassNumbers classes) {
        this.classes = classes;
    }

    @Override
    public Object[] apply(Object o) {
        Layout own = classes.layout(o.getClass());
        boolean hasStatics = o instanceof Class && !ClassNumbers.isOurs((Class<?>) o);
        long[] statics = hasStatics ? classes.layout((Class<?>) o).statics : null;
        int count = own.references.length + (hasStatics ? statics.length : 0);
        if (count == 0) {
            return null;
        }
        Object[] values = new Object[count];
        long[] offsets = new long[count];
        for (int i = 0; i < count; i++) {
            int ofClass = i - own.references.length;
            offsets[i] = ofClass < 0 ? own.references[i] : statics[ofClass];
            Object value = RawFields.reference(o, offsets[i]);
            // Until a class is initialised, the JVM keeps a lock where a class of arrays has its component type.
            values[i] = ofClass < 0 && o instanceof Class && value instanceof int[] ? null : value;
        }
        return new Object[] {values, offsets};
    }
}
