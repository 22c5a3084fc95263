package io.weighbridge.runtime.link;

import io.weighbridge.runtime.probe.Claims;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.CountOthersProbe;
import io.weighbridge.runtime.probe.CountProbe;
import io.weighbridge.runtime.probe.LiveOthersProbe;
import io.weighbridge.runtime.probe.LiveProbe;
import io.weighbridge.runtime.probe.NearestClass;

/** Enters a jar's table among the instrumented classes, and gives its bridge the probes. */
public final class Linking {
    private Linking() {
    }

    /** Takes a jar in; null if another class loader has brought it before. */
    public static Linked link(LinkTable table, String text, ClassLoader loader) {
        boolean isNew = ClassTable.add(table, text, loader);
        NearestClass.forget();
        return isNew ? new Linked(table, ClassTable.base(text)) : null;
    }

    /** What {@code Linker.apply} gives the bridge of a jar that was taken in. */
    public static Object[] probes(String text) {
        return new Object[] {LiveProbe.INSTANCE, LiveOthersProbe.INSTANCE, CountProbe.INSTANCE,
            CountOthersProbe.INSTANCE, Claims.INSTANCE, Claims.INSTANCE, ClassTable.base(text)};
    }
}
