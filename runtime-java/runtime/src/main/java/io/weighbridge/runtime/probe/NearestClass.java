package io.weighbridge.runtime.probe;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.ClassMemory;
import io.weighbridge.runtime.jvm.NativeAgent;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * The nearest instrumented class among a class and its superclasses, to which its objects belong, so that an object is
 * registered once however many of its superclasses match.
 *
 * <p>An instrumented class registers its own objects. Those of a subclass that is not instrumented are registered by the
 * nearest class's {@link ClassEntry#registrar}: the topmost superclass in its jar that is instrumented alike. So the
 * constructors between need not ask (docs/probe-contract.md).
 *
 * <p>The answer is remembered with the class itself ({@link ClassValue}), which keeps no class alive, and is searched
 * again after a link. Classes are compared by name and class loader: a jar's bridge is defined by the loader that
 * defines the jar's classes. Registrars ask for every object of a subclass, so the answers are in small tables as
 * well, under the class's identity hash. One has the classes that register their own objects, which are most; a probe looks
 * at it inline ({@link #registersItself}). The other has all classes, two slots for each. The tables do keep classes alive,
 * so they are emptied after full collections and once a minute. A name that several jars have instrumented is in neither.
 */
public final class NearestClass extends ClassMemory<AtomicReference<NearestClass.Answer>> {
    private static final NearestClass ANSWERS = new NearestClass();
    private static final int SLOTS = 4096;
    /** A class is at its hash or at the odd or even neighbour. Written without a lock: a lost entry is found again. */
    private static final Answer[] KNOWN = new Answer[SLOTS];
    /** Large, so that two busy classes rarely share a slot: the objects of one would take the slow path. */
    private static final Class<?>[] THEIR_OWN = new Class<?>[1 << 14];
    /** The tables keep a class loaded so much longer at most. */
    private static final long MOST_NS = 60_000_000_000L;
    /** The nearest classes of those that are not instrumented, by name, which keeps no class alive. */
    private static final Map<String, Set<Integer>> SUBCLASSES = new ConcurrentHashMap<>();
    private static final int MOST_SUBCLASSES = 10_000;
    private static final Function<String, Set<Integer>> NO_IDS = n -> ConcurrentHashMap.newKeySet(1);
    private static volatile boolean tooMany;
    private static int fullCollections;
    private static long forgotNs = System.nanoTime();

    private NearestClass() {
    }

    /** Of one class. */
    static final class Answer {
        final Class<?> type;
        /** The nearest instrumented class, or a negative constant. */
        final int id;
        /** The class whose constructor registers its objects; {@link ClassTable#NONE} if its own does it. */
        final int registrar;
        /** The nearest instrumented class is tracked, not only counted. */
        final boolean live;
        private final int epoch;

        /** An object of the class is to be counted, if some class is the nearest. Small enough for a probe. */
        void count(Object o) {
            if (live) {
                LiveProbe.INSTANCE.accept(o, id);
            } else if (id >= 0) {
                CountProbe.INSTANCE.accept(id);
            }
        }

        Answer(Class<?> type, int id, int registrar, int epoch) {
            this.type = type;
            this.id = id;
            this.registrar = registrar;
            this.live = id >= 0 && ClassTable.entry(id).live;
            this.epoch = epoch;
        }

        /** No jar has been linked since. */
        boolean isCurrent() {
            return epoch == ClassTable.epoch();
        }
    }

    @Override
    protected AtomicReference<Answer> compute(Class<?> type) {
        return new AtomicReference<>();
    }

    /**
     * True if the class's own constructor registers its objects, so that its superclasses' need not; false says nothing.
     * Small enough for a probe, and one look for all the superclasses' constructors that the JIT inlines into each other.
     */
    static boolean registersItself(Class<?> type) {
        return THEIR_OWN[type.hashCode() & THEIR_OWN.length - 1] == type;
    }

    /**
     * After a collection, with the registry's lock held. Full collections unload classes, and so do concurrent cycles, which
     * not every JVM tells of. To empty the tables after every collection would dirty a card for each class.
     */
    public static void collected(int full, long now) {
        if (full != fullCollections || now - forgotNs >= MOST_NS) {
            fullCollections = full;
            forgotNs = now;
            forget();
        }
    }

    /** Asks once, so that the JDK's part of it is ready. See {@link FirstUse}. */
    static void prepare() {
        ANSWERS.get(Object.class);
        NO_IDS.apply("");
    }

    /** The remembered answer of a class, or null: some loads and no lock. */
    static Answer known(Class<?> type) {
        int slot = type.hashCode() & SLOTS - 1;
        Answer first = KNOWN[slot];
        if (first != null && first.type == type) {
            return first;
        }
        Answer second = KNOWN[slot ^ 1];
        return second != null && second.type == type ? second : null;
    }

    /** Empties the tables, which keep the classes in them alive, and whose answers a link makes obsolete. */
    public static void forget() {
        Arrays.fill(KNOWN, null);
        Arrays.fill(THEIR_OWN, null);
    }

    /** Empties everything: the runtime is switched off for good. */
    public static void abandon() {
        forget();
        ANSWERS.removeAll();
        SUBCLASSES.clear();
    }

    /** The id of the nearest instrumented class, or a negative constant. */
    public static int of(Class<?> type) {
        return answer(type, ClassTable.NONE).id;
    }

    /**
     * The class whose objects increase by one when the constructor of class {@code id} has just returned for an object of
     * this type, which is a subclass; or {@link ClassTable#NONE}. Two jars may bring the same class, but only one is loaded,
     * so an equal name means the same class. Since the constructor runs, a class of its name is instrumented among the
     * superclasses, whatever its loader.
     */
    static int registeredBy(Class<?> type, int id) {
        Answer answer = answer(type, id);
        if (answer.id == ClassTable.NONE) {
            // Found for a copy, without the evidence that a constructor is.
            answer = search(type, id, ClassTable.epoch());
            ANSWERS.get(type).set(answer);
        }
        ClassEntry running = ClassTable.entry(id);
        ClassEntry registrar = ClassTable.entry(answer.registrar);
        if (answer.registrar != id && running != null && registrar != null && registrar.name.equals(running.name)) {
            return answer.id == answer.registrar ? id : answer.id;
        }
        remember(answer);
        return answer.registrar == id ? answer.id : ClassTable.NONE;
    }

    /**
     * The class of an object that a method of class {@code maker} has copied; no constructor ran. Of most objects that the JDK
     * copies it is none, and they must not wait for each other.
     */
    static int ofCopy(Class<?> type, int maker) {
        Answer found = ANSWERS.get(type).get();
        if (found != null && found.isCurrent() && found.id == ClassTable.NONE) {
            return ClassTable.NONE;
        }
        Answer answer = answer(type, maker);
        // Others have a registrar, for which a class of the same name in another jar may act: see registeredBy.
        if (answer.id >= 0 && answer.registrar == ClassTable.NONE) {
            remember(answer);
        }
        return answer.id;
    }

    private static Answer answer(Class<?> type, int evidence) {
        ClassTable.takeLoaded();
        AtomicReference<Answer> newest = ANSWERS.get(type);
        Answer answer = newest.get();
        int epoch = ClassTable.epoch();
        if (answer == null || answer.epoch != epoch) {
            answer = search(type, evidence, epoch);
            newest.set(answer);
        }
        return answer;
    }

    private static void remember(Answer answer) {
        if (answer.id >= 0 && ClassTable.isTwin(answer.id)) {
            return;
        }
        int hash = answer.type.hashCode();
        int slot = hash & SLOTS - 1;
        int own = hash & THEIR_OWN.length - 1;
        KNOWN[slot ^ 1] = KNOWN[slot];
        KNOWN[slot] = answer;
        if (answer.id >= 0 && answer.registrar == ClassTable.NONE) {
            THEIR_OWN[own] = answer.type;
        }
        // A link raises the epoch and then empties the tables. Either it removes this answer, or its epoch is seen here.
        VarHandle.fullFence();
        if (!answer.isCurrent()) {
            KNOWN[slot] = null;
            KNOWN[slot ^ 1] = null;
            THEIR_OWN[own] = null;
        }
    }

    private static Answer search(Class<?> type, int evidence, int epoch) {
        ClassEntry proven = ClassTable.entry(evidence);
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            String name = c.getName();
            int id = idOf(c, name);
            if (id == ClassTable.ELSEWHERE) {
                return new Answer(type, id, ClassTable.NONE, epoch);
            }
            if (id != ClassTable.NONE) {
                ClassEntry nearest = ClassTable.entry(id);
                int registrar = c != type ? nearest.registrar : nearest.blind ? id : ClassTable.NONE;
                if (c != type) {
                    belongs(type, id);
                }
                return new Answer(type, id, registrar, epoch);
            }
            if (proven != null && proven.name.equals(name)) {
                if (c != type) {
                    belongs(type, evidence);
                }
                return new Answer(type, evidence, evidence, epoch);
            }
        }
        return new Answer(type, ClassTable.NONE, ClassTable.NONE, epoch);
    }

    /** Objects of a class that is not instrumented count for this one. */
    private static void belongs(Class<?> type, int id) {
        ClassEntry entry = ClassTable.entry(id);
        if (entry != null) {
            entry.meet(type);
        }
        if (SUBCLASSES.size() < MOST_SUBCLASSES) {
            SUBCLASSES.computeIfAbsent(type.getName(), NO_IDS).add(id);
        } else {
            tooMany = true;
        }
    }

    /**
     * The entries' ids by the names of their classes and of subclasses whose objects count for them; null if they are too
     * many, or if the agent does not tell. Without the agent those of which objects were constructed.
     */
    public static Map<String, List<Integer>> names() {
        if (tooMany) {
            return null;
        }
        Map<String, List<Integer>> names = new HashMap<>();
        SUBCLASSES.forEach((name, ids) -> names.put(name, new ArrayList<>(ids)));
        for (ClassEntry entry : ClassTable.entries()) {
            add(names, entry.name, entry.id);
        }
        // A class that has probes with the id of another never asks for it here.
        String[] below = NativeAgent.isPresent() ? NativeMethods.classesBelow() : new String[0];
        if (below == null) {
            return null;
        }
        for (int i = 0; i < below.length; i += 2) {
            add(names, below[i], Integer.parseInt(below[i + 1]));
        }
        return names;
    }

    private static void add(Map<String, List<Integer>> names, String name, int id) {
        List<Integer> ids = names.computeIfAbsent(name, n -> new ArrayList<>(1));
        if (!ids.contains(id)) {
            ids.add(id);
        }
    }

    /** The id of the class itself, or a negative constant. */
    static int ownId(Class<?> type) {
        return idOf(type, type.getName());
    }

    private static int idOf(Class<?> c, String name) {
        try {
            return ClassTable.idOf(name, c.getClassLoader());
        } catch (SecurityException hidden) {
            return ClassTable.NONE;
        }
    }
}
