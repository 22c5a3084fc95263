package io.weighbridge.runtime;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The nearest instrumented class among a class and its superclasses: the one whose constructor registers the
 * object, so that an object is registered once however many of its superclasses match.
 *
 * <p>The answer is remembered with the class itself ({@link ClassValue}), which keeps no class alive, and is asked
 * again after a link. Classes are compared by name and class loader: a jar's bridge stands in the loader that
 * defines the jar's classes.
 *
 * <p>Every constructor of an instrumented superclass asks, for every object: so the answers stand in a small table as
 * well, under the class's identity hash, two places for each. The table does keep classes alive, and is emptied after
 * every collection. A name that several jars have instrumented is not in it.
 */
final class NearestClass extends ClassValue<NearestClass.Memory> {
    /** No class up to Object is instrumented. */
    static final int NONE = -1;
    /** The nearest one is in a jar that has not met the runtime yet: its own constructor will register the object. */
    static final int ELSEWHERE = -2;
    /** Not in the table of {@link #known}. */
    static final int UNKNOWN = -3;
    private static final NearestClass ANSWERS = new NearestClass();
    private static final int PLACES = 4096;
    /** A class stands at its hash or at the odd or even neighbour. Written without a lock: a lost entry is found again. */
    private static final Answer[] KNOWN = new Answer[PLACES];

    private NearestClass() {
    }

    /** What a class's value holds: the newest answer. */
    static final class Memory {
        private volatile Answer newest;
    }

    private static final class Answer {
        final Class<?> type;
        final int id;
        final int epoch;

        Answer(Class<?> type, int id, int epoch) {
            this.type = type;
            this.id = id;
            this.epoch = epoch;
        }
    }

    @Override
    protected Memory computeValue(Class<?> type) {
        return new Memory();
    }

    /** What {@link #of} answers, or {@link #UNKNOWN}: small enough for a probe, some loads and no call. */
    static int known(Class<?> type) {
        int place = type.hashCode() & PLACES - 1;
        Answer first = KNOWN[place];
        if (first != null && first.type == type) {
            return first.id;
        }
        Answer second = KNOWN[place ^ 1];
        return second != null && second.type == type ? second.id : UNKNOWN;
    }

    /** Empties the table of {@link #known}, which keeps the classes in it alive. */
    static void forget() {
        Arrays.fill(KNOWN, null);
    }

    /**
     * The id of the nearest instrumented class, or a negative constant.
     *
     * @param evidence the id in whose constructor the caller stands, which proves that a class of that name is
     *                 instrumented among the superclasses, whatever its loader; or {@link #NONE}
     */
    static int of(Class<?> type, int evidence) {
        Memory memory = ANSWERS.get(type);
        Answer answer = memory.newest;
        int epoch = ClassTable.epoch();
        if (answer == null || answer.epoch != epoch) {
            answer = new Answer(type, search(type, evidence), epoch);
            memory.newest = answer;
        }
        return answer.id;
    }

    /**
     * True if the constructor of class {@code id}, which has just returned for an object of this type, is the one to
     * register it. Two jars may bring the same class; only one of them is loaded, so an equal name means the same.
     */
    static boolean isRegisteredBy(Class<?> type, int id) {
        int nearest = of(type, id);
        ClassEntry registering = ClassTable.entry(id);
        ClassEntry answered = ClassTable.entry(nearest);
        if (nearest == id || answered == null || registering == null) {
            remember(type, nearest);
            return nearest == id;
        }
        if (answered.name.equals(registering.name)) {
            return true;
        }
        remember(type, nearest);
        return false;
    }

    private static void remember(Class<?> type, int nearest) {
        Answer answer = ANSWERS.get(type).newest;
        if (answer.id != nearest || nearest >= 0 && ClassTable.isTwin(nearest)) {
            return;
        }
        int place = type.hashCode() & PLACES - 1;
        KNOWN[place ^ 1] = KNOWN[place];
        KNOWN[place] = answer;
        // A link raises the epoch and then empties the table: either it sees this answer or this sees its epoch.
        VarHandle.fullFence();
        if (answer.epoch != ClassTable.epoch()) {
            KNOWN[place] = null;
            KNOWN[place ^ 1] = null;
        }
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
