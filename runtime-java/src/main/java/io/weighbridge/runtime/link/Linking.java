package io.weighbridge.runtime.link;

import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.CountOthersProbe;
import io.weighbridge.runtime.probe.CountProbe;
import io.weighbridge.runtime.probe.LiveOthersProbe;
import io.weighbridge.runtime.probe.LiveProbe;
import io.weighbridge.runtime.probe.NearestClass;
import java.util.Map;

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
    public static Map<String, Object> receivers(String text) {
        return Map.of("live", LiveProbe.INSTANCE, "liveOthers", LiveOthersProbe.INSTANCE, "count", CountProbe.INSTANCE,
                "countOthers", CountOthersProbe.INSTANCE, "base", ClassTable.base(text));
    }
}
