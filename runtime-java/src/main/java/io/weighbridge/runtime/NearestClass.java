package io.weighbridge.runtime;

/**
 * The nearest instrumented class among a class and its superclasses: the one whose constructor registers the
 * object, so that an object is registered once however many of its superclasses match.
 *
 * <p>The answer is remembered with the class itself ({@link ClassValue}), holds no reference to it, and is asked
 * again after a link. Classes are compared by name and class loader: a jar's bridge stands in the loader that
 * defines the jar's classes.
 */
final class NearestClass extends ClassValue<NearestClass.Answer> {
    /** No class up to Object is instrumented. */
    static final int NONE = -1;
    /** The nearest one is in a jar that has not met the runtime yet: its own constructor will register the object. */
    static final int ELSEWHERE = -2;
    private static final NearestClass ANSWERS = new NearestClass();

    private NearestClass() {
    }

    /** Holds the id in the low half and the epoch it is valid for in the high half, written and read at once. */
    static final class Answer {
        private volatile long epochAndId = -1L << 32;
    }

    @Override
    protected Answer computeValue(Class<?> type) {
        return new Answer();
    }

    /**
     * The id of the nearest instrumented class, or a negative constant.
     *
     * @param evidence the id in whose constructor the caller stands, which proves that a class of that name is
     *                 instrumented among the superclasses, whatever its loader; or {@link #NONE}
     */
    static int of(Class<?> type, int evidence) {
        Answer answer = ANSWERS.get(type);
        long known = answer.epochAndId;
        int epoch = ClassTable.epoch();
        if ((int) (known >> 32) == epoch) {
            return (int) known;
        }
        int id = search(type, evidence);
        answer.epochAndId = (long) epoch << 32 | id & 0xFFFFFFFFL;
        return id;
    }

    /**
     * True if the constructor of class {@code id}, which has just returned for an object of this type, is the one to
     * register it. Two jars may bring the same class; only one of them is loaded, so an equal name means the same.
     */
    static boolean isRegisteredBy(Class<?> type, int id) {
        int nearest = of(type, id);
        if (nearest == id || nearest < 0) {
            return nearest == id;
        }
        ClassEntry registering = ClassTable.entry(id);
        return registering != null && ClassTable.entry(nearest).name.equals(registering.name);
    }

    private static int search(Class<?> type, int evidence) {
        ClassEntry proven = ClassTable.entry(evidence);
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            String name = c.getName();
            int id = idOf(c, name);
            if (id != NONE) {
                return id;
            }
            if (proven != null && proven.name.equals(name)) {
                return evidence;
            }
        }
        return NONE;
    }

    private static int idOf(Class<?> c, String name) {
        try {
            return ClassTable.idOf(name, c.getClassLoader());
        } catch (SecurityException hidden) {
            return NONE;
        }
    }
}
