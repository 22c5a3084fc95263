package io.weighbridge.runtime.probe;

/**
 * What a probe does with an object of another class when its own look into the tables has not answered.
 *
 * <p>A Throwable for the same reason as {@link SlowPath}.
 */
final class SlowOthers extends Throwable {
    private static final long serialVersionUID = 1;

    private SlowOthers() {
    }

    /** The constructor of class {@code id} has returned for an object of a subclass. */
    static void subclass(Object o, int id) {
        Class<?> type = o.getClass();
        NearestClass.Answer known = NearestClass.known(type);
        if (known != null) {
            if (known.registrar == id) {
                known.count(o);
            }
        } else {
            arrived(o, found(type, id, false));
        }
    }

    /** A method of class {@code maker} has copied an object. */
    static void copy(Object o, int maker) {
        Class<?> type = o.getClass();
        NearestClass.Answer known = NearestClass.known(type);
        if (known != null) {
            known.count(o);
        } else {
            arrived(o, found(type, maker, true));
        }
    }

    /** The same of a class that is only counted. */
    static void subclass(Class<?> type, int id) {
        NearestClass.Answer known = NearestClass.known(type);
        if (known != null) {
            if (known.registrar == id) {
                CountProbe.INSTANCE.accept(known.id);
            }
        } else {
            ClassEntry entry = found(type, id, false);
            if (entry != null) {
                SlowPath.count(entry.id);
            }
        }
    }

    /**
     * The class that an object counts for, or null. The search runs code of the JDK, which may have probes, and copies objects
     * while it links calls of {@code VarHandle}s: what is met in there is the runtime's own, or this would never end.
     */
    private static ClassEntry found(Class<?> type, int id, boolean isCopy) {
        int entered = Inside.enter();
        if (entered == Inside.NESTED) {
            return null;
        }
        try {
            if (!Stripes.enabled()) {
                // Nothing would empty the tables of answers, which keep classes alive.
                return null;
            }
            return ClassTable.entry(isCopy ? NearestClass.ofCopy(type, id) : NearestClass.registeredBy(type, id));
        } finally {
            Inside.leave(entered);
        }
    }

    /** An object of this class, which may be one that is only counted. */
    private static void arrived(Object o, ClassEntry entry) {
        if (entry == null) {
            return;
        }
        if (entry.live) {
            SlowPath.live(o, entry.id);
        } else {
            SlowPath.count(entry.id);
        }
    }
}
