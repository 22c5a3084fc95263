package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.jvm.NativeAgent;
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
 * were made without a constructor (deserialised, {@code Unsafe.allocateInstance}, JNI). The agent walks the heap for them,
 * which costs some tenths of a microsecond for each object of the heap, while the program waits.
 *
 * <p>A walk also meets dead objects that are not collected yet. They are taken in as well, and dropped after the next
 * collection, as all dead ones are.
 */
public final class Adoption {
    /** An object may be met while its constructor runs. So long that may take, or the object counts as unannounced. */
    private static final int PATIENCE_MS = 20;
    private final Registry registry;
    /** What exists now existed before; later it was not announced. */
    private final boolean first;
    /** Objects that the last walk has met, by class id. */
    private long[] counts;

    private Adoption(Registry registry, boolean first) {
        this.registry = registry;
        this.first = first;
    }

    /** Takes in what exists already. The probes count since a moment ago. */
    public static void ofObjectsBefore(Registry registry) throws InterruptedException {
        new Adoption(registry, true).run();
    }

    /**
     * Takes in objects of exact classes that were made without a constructor. Of other classes they cannot be told apart, nor
     * where those that existed before were left out.
     */
    public static void ofUnannounced(Registry registry) throws InterruptedException {
        new Adoption(registry, false).run();
    }

    private void run() throws InterruptedException {
        Map<Integer, List<Object>> met = meet();
        if (met.isEmpty()) {
            return;
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
    }

    /** Walks the heap: once to count, and once to take as many objects as there is room for. */
    private Map<Integer, List<Object>> meet() {
        registry.lock();
        try {
            registry.sweep(false);
            counts = NativeAgent.countObjects();
            long[] wanted = new long[counts.length];
            long any = 0;
            for (int id = 0; id < counts.length; id++) {
                ClassEntry entry = counts[id] > 0 ? ClassTable.entry(id) : null;
                if (entry != null && entry.live && (first || entry.exact() && !entry.leavesBeforeOut() && counts[id] > registry.of(entry).sample.count)) {
                    wanted[id] = counts[id];
                    any += wanted[id];
                }
            }
            if (any == 0) {
                return Collections.emptyMap();
            }
            int share = Budget.fit(wanted, Budget.cap(), Integer.MAX_VALUE);
            for (int id = 0; id < wanted.length; id++) {
                wanted[id] = Math.min(wanted[id], share);
            }
            return byClass(NativeAgent.takeObjects(wanted, counts));
        } finally {
            registry.unlock();
        }
    }

    private static Map<Integer, List<Object>> byClass(Object[] taken) {
        Map<Integer, List<Object>> met = new HashMap<>();
        if (taken != null) {
            Object[] objects = (Object[]) taken[0];
            int[] ids = (int[]) taken[1];
            for (int i = 0; i < ids.length; i++) {
                met.computeIfAbsent(ids[i], id -> new ArrayList<>()).add(objects[i]);
            }
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
        if (objects.isEmpty() || !first && !(all && entry.exact())) {
            return;
        }
        long number = entry.exact() && all ? objects.size() : Math.max(objects.size(), counts[entry.id] - Math.round(sample.live()));
        float weight = Math.max(1, number / (float) objects.size());
        registry.of(entry).atCollection += number;
        entry.adopt(objects, number, weight, first);
    }
}
