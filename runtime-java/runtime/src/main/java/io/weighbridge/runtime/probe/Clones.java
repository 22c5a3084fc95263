package io.weighbridge.runtime.probe;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.ClassMemory;
import io.weighbridge.runtime.jvm.NativeAgent;

/**
 * Who counts the copies that {@code clone()} makes, so that each is counted once (docs/probe-contract.md, "Copies").
 *
 * <p>All calls of {@code clone()} in classes with probes are told. The method that is called is the first one found from a
 * class upwards. If it, or one above it that it may call, is of a class with probes, the copy is counted at a call in there.
 * If none is, the caller counts it.
 */
final class Clones extends ClassMemory<Clones.CloneAnswer> {
    private static final Clones ANSWERS = new Clones();
    /** No class with probes, from this one upwards, overrides {@code clone()}. */
    private static final int BY_CALLER = 1;
    /** A class without probes may copy its objects, and any code may ask for that. */
    private static final int MAY_BE_MISSED = 2;
    /** The epoch is above these bits. */
    private static final int BITS = 2;

    private Clones() {
    }

    /** Of one class. A link may change it. */
    static final class CloneAnswer {
        private volatile int known = -1;
    }

    @Override
    protected CloneAnswer compute(Class<?> type) {
        return new CloneAnswer();
    }

    /** Whether the caller of {@code clone()} counts the copy, if the search for the method begins at this class. */
    static boolean areCountedByCaller(Class<?> from) {
        return (answer(from, false) & BY_CALLER) != 0;
    }

    /** Whether objects of this class may be copied and not counted. */
    static boolean mayBeMissed(Class<?> type) {
        return (answer(type, true) & MAY_BE_MISSED) != 0;
    }

    /** {@code registers}: an object is being registered, so the thread is inside already. Else it copies for the runtime, if it is. */
    private static int answer(Class<?> type, boolean registers) {
        if (!Stripes.enabled()) {
            return 0; // Else nothing would empty the answers.
        }
        CloneAnswer answer = ANSWERS.get(type);
        int epoch = ClassTable.epoch() & -1 >>> BITS + 1;
        int known = answer.known;
        if (known >> BITS != epoch) {
            int entered = Inside.enter();
            if (entered == Inside.NESTED && !registers) {
                return 0;
            }
            try {
                known = epoch << BITS | search(type);
            } finally {
                Inside.leave(entered);
            }
            answer.known = known;
        }
        return known;
    }

    /**
     * A class without probes below one that overrides {@code clone()} has its copies made by that. Above it, only {@code clone()}
     * of the JDK's classes makes copies, and that is overridden; a class of the program may do so in any method.
     */
    private static int search(Class<?> type) {
        boolean isOverridden = false;
        boolean isSeen = false;
        boolean byJdk = false;
        boolean byProgram = false;
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            int role = roleOf(c);
            boolean overrides = (role & NativeMethods.ROLE_CLONES) != 0;
            isOverridden |= overrides;
            if ((role & NativeMethods.ROLE_PROBES) == 0) {
                boolean ofJdk = c.getName().startsWith("java.");
                byJdk |= ofJdk;
                byProgram |= !ofJdk;
            } else if (overrides) {
                isSeen = true;
                byJdk = false;
                byProgram = false;
            }
        }
        int answer = isOverridden ? 0 : BY_CALLER;
        boolean isMissed = Cloneable.class.isAssignableFrom(type) && (byProgram || byJdk && !isSeen);
        return isMissed ? answer | MAY_BE_MISSED : answer;
    }

    /** {@link NativeAgent#PROBES} and {@link NativeAgent#CLONES}. */
    private static int roleOf(Class<?> type) {
        int id = NearestClass.ownId(type);
        ClassEntry entry = ClassTable.entry(id);
        if (entry != null) {
            // Not all calls of super.clone() in an old class file are told.
            int probes = entry.blind ? 0 : NativeMethods.ROLE_PROBES;
            return entry.clones ? probes | NativeMethods.ROLE_CLONES : probes;
        }
        if (id == ClassTable.ELSEWHERE) {
            // No probe of it was reached yet, so it has made no copy.
            return NativeMethods.ROLE_PROBES;
        }
        return NativeAgent.isPresent() ? NativeMethods.roleInClones(type) : 0;
    }

    /** Empties everything: the runtime is switched off for good. */
    static void abandon() {
        ANSWERS.removeAll();
    }
}
