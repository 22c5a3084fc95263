package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Takes in objects that no constructor has announced: those that existed before the native agent came, and later those that
 * were made without a constructor (deserialised, {@code Unsafe.allocateInstance}, JNI). The agent walks the heap for them once,
 * which costs about a tenth of a microsecond for each object of the heap, while the program waits. A walk that would take
 * longer than the owner grants ({@link PauseBudget}) is not begun.
 *
 * <p>A walk also meets dead objects that are not collected yet. They are taken in as well, and dropped after the next
 * collection, as all dead ones are.
 */
public final class Adoption {
    /** An object may be met while its constructor runs. So long that may take, or the object counts as unannounced. */
    private static final int PATIENCE_MS = 20;
    /** A sample has at least half as many objects as it may have. */
    private static final int MOST_OF_BUDGET = 2;
    private final Registry registry;
    /** What exists now existed before; later it was not announced. */
    private final boolean first;
    private final Census census;
    /** What the walk may take. */
    private final long grantedNs;
    /** Objects that the last walk has met, by class id. */
    private long[] counts;
    /** Why there was no walk, or null. */
    private String leftOut;

    private Adoption(Registry registry, boolean first, Census census, long grantedNs) {
        this.registry = registry;
        this.first = first;
        this.census = census;
        this.grantedNs = grantedNs;
    }

    /** Takes in what exists already, or says what is missing. The probes count since a moment ago. */
    public static String ofObjectsBefore(Registry registry) throws InterruptedException {
        return new Adoption(registry, true, null, PauseBudget.granted()).run();
    }

    /**
     * Takes in objects of exact classes that were made without a constructor, or says that they are missing. Of other classes
     * they cannot be told apart, nor where those that existed before were left out. {@code census}: the JVM's own count of a
     * moment ago, or null.
     */
    public static String ofUnannounced(Registry registry, Census census, long grantedNs) throws InterruptedException {
        return new Adoption(registry, false, census, grantedNs).run();
    }

    /** What it meets it holds. */
    private String run() throws InterruptedException {
        registry.hold();
        try {
            return takeIn();
        } finally {
            registry.release();
        }
    }

    private String takeIn() throws InterruptedException {
        Map<Integer, List<Object>> met = meet();
        if (met.isEmpty()) {
            return leftOut;
        }
        Thread.sleep(PATIENCE_MS);
        registry.lock();
        try {
            registry.sweep(false);
            for (Map.Entry<Integer, List<Object>> of : met.entrySet()) {
                ClassEntry entry = ClassTable.entry(of.getKey());
                if (entry != null && entry.live) {
                    adopt(entry, of.getValue());
                }
            }
            registry.sweep(false);
        } finally {
            registry.unlock();
        }
        return leftOut;
    }

    /** Walks the heap: it counts, and samples as many objects as there is room for. */
    private Map<Integer, List<Object>> meet() {
        registry.lock();
        try {
            registry.sweep(false);
            Object[] surveyed = first ? survey(new int[0], MOST_OF_BUDGET * Budget.perClass()) : unannounced();
            return surveyed == null ? Collections.emptyMap() : byClass((Object[]) surveyed[1], (int[]) surveyed[2]);
        } finally {
            registry.unlock();
        }
    }

    /** Samples only the classes that have objects without a reference. Mostly none has, as the JVM's own count tells: no walk. */
    private Object[] unannounced() {
        if (!mayHaveUnannounced() || survey(new int[0], 0) == null) {
            return null;
        }
        int[] samples = new int[counts.length];
        boolean any = false;
        for (int id = 0; id < counts.length; id++) {
            ClassEntry entry = counts[id] > 0 ? ClassTable.entry(id) : null;
            if (entry != null && isTracked(entry) && counts[id] > registry.of(entry).sample.count) {
                samples[id] = (int) Math.min(counts[id], Budget.cap());
                any = true;
            }
        }
        return any ? survey(samples, 0) : null;
    }

    private boolean mayHaveUnannounced() {
        if (census != null) {
            census.assign(registry);
        }
        for (ClassEntry entry : ClassTable.entries()) {
            if (isTracked(entry)) {
                long counted = census == null ? Census.UNKNOWN : census.objects(entry);
                if (counted == Census.UNKNOWN || counted > registry.of(entry).sample.count) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Each of its objects should have a reference. */
    private static boolean isTracked(ClassEntry entry) {
        return entry.live && entry.tracksAll() && !entry.leavesBeforeOut();
    }

    /** One walk; null if it takes too long. Of classes beyond the array as many objects are sampled as of all. */
    private Object[] survey(int[] samples, int samplesOfOthers) {
        long predicted = PauseBudget.predict(PauseBudget.Stop.SURVEY);
        long bytes = PauseBudget.Stop.SURVEY.bytes();
        long start = System.nanoTime();
        Object[] surveyed = predicted > grantedNs ? null
                : NativeMethods.surveyObjects(samples, samplesOfOthers, Budget.cap(), grantedNs);
        long took = System.nanoTime() - start;
        if (surveyed != null) {
            PauseBudget.learn(PauseBudget.Stop.SURVEY, bytes, took);
            counts = (long[]) surveyed[0];
            return surveyed;
        }
        // A walk that was given up has shown only that it takes longer.
        long needed = Math.max(predicted, 2 * Math.min(took, grantedNs));
        leftOut = first ? PauseBudget.leftOut("objects that existed before are not counted", "count them", needed)
                : PauseBudget.leftOut("objects made without a constructor are not counted", "find them", needed);
        return null;
    }

    private static Map<Integer, List<Object>> byClass(Object[] objects, int[] ids) {
        Map<Integer, List<Object>> met = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            met.computeIfAbsent(ids[i], id -> new ArrayList<>()).add(objects[i]);
        }
        return met;
    }

    /** Those of the objects that have no reference. If not all were taken, each stands for several. */
    private void adopt(ClassEntry entry, List<Object> objects) {
        Sample sample = registry.of(entry).sample;
        Set<Object> known = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < sample.count; i++) {
            Object o = sample.kept[i].get();
            if (o != null) {
                known.add(o);
            }
        }
        objects.removeIf(known::contains);
        boolean all = objects.size() + known.size() >= counts[entry.id];
        if (objects.isEmpty() || !first && !(all && entry.tracksAll())) {
            return;
        }
        long number = entry.tracksAll() && all ? objects.size() : Math.max(objects.size(), counts[entry.id] - Math.round(sample.live()));
        float weight = Math.max(1, number / (float) objects.size());
        registry.of(entry).atCollection += number;
        // Who has announced nothing is found right after a full collection, which has left it.
        long olderThan = first ? Long.MAX_VALUE : registry.clock.markings.number();
        entry.adopt(objects, number, weight, first, olderThan);
        if (!first) {
            registry.of(entry).met(number);
        }
    }
}
