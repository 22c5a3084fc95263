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
        } else if (Stripes.enabled()) { // Else nothing would empty the tables of answers, which keep classes alive.
            arrived(o, NearestClass.registeredBy(type, id));
        }
    }

    /** A method of class {@code maker} has copied an object. */
    static void copy(Object o, int maker) {
        Class<?> type = o.getClass();
        NearestClass.Answer known = NearestClass.known(type);
        if (known != null) {
            known.count(o);
        } else if (Stripes.enabled()) {
            arrived(o, NearestClass.ofCopy(type, maker));
        }
    }

    /** The same of a class that is only counted. */
    static void subclass(Class<?> type, int id) {
        NearestClass.Answer known = NearestClass.known(type);
        if (known != null) {
            if (known.registrar == id) {
                CountProbe.INSTANCE.accept(known.id);
            }
        } else if (Stripes.enabled()) {
            SlowPath.count(NearestClass.registeredBy(type, id));
        }
    }

    /** An object of the class with this id, which may be one that is only counted. */
    private static void arrived(Object o, int id) {
        ClassEntry entry = ClassTable.entry(id);
        if (entry == null) {
            return;
        }
        if (entry.live) {
            SlowPath.live(o, id);
        } else {
            SlowPath.count(id);
        }
    }
}
