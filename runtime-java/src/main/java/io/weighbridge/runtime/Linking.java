package io.weighbridge.runtime;

/** Enters a jar's table among the instrumented classes, and gives its bridge the probes. */
final class Linking {
    private Linking() {
    }

    /** Takes a jar in; null if another class loader has brought it before. */
    static Linked link(LinkTable table, String text, ClassLoader loader) {
        boolean isNew = ClassTable.add(table, text, loader);
        NearestClass.forget();
        return isNew ? new Linked(table, ClassTable.base(text)) : null;
    }

    /** What {@code Linker.apply} gives the bridge of a jar that was taken in. */
    static Object[] probes(String text) {
        return new Object[] {LiveProbe.INSTANCE, LiveOthersProbe.INSTANCE, CountProbe.INSTANCE,
            CountOthersProbe.INSTANCE, Claims.INSTANCE, Claims.INSTANCE, ClassTable.base(text)};
    }
}
