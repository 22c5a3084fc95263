package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.jvm.ClassHistogram;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.NearestClass;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.JMException;

/**
 * The JVM's own count of all live objects ({@link ClassHistogram}), by instrumented class. As exact as the histogram, for
 * classes that it can tell from others.
 */
public final class Census {
    /** What {@link #objects} says of a class that the histogram cannot tell from others. */
    static final long UNKNOWN = -1;

    /** No dead object was counted. */
    public final boolean collected;
    /** Shallow bytes of all live objects of the heap. */
    public final long totalBytes;
    /** The number of the first registration after the count began, and when that was ({@link System#nanoTime}). */
    public final long number;
    public final long ns;
    /** By name, and loader where several have loaded one: {@code {objects, bytes}}. */
    private final Map<String, List<long[]>> rows;
    private final Map<String, List<Integer>> names;
    /** Of the instrumented classes, by id. */
    private final Map<Integer, long[]> byId = new HashMap<>();

    private Census(ClassHistogram histogram, long number, long ns) {
        this.number = number;
        this.ns = ns;
        collected = histogram.collected;
        totalBytes = histogram.totalBytes;
        Map<String, List<Integer>> known = NearestClass.names();
        names = known == null ? Collections.emptyMap() : known;
        rows = ClassHistogram.rows(histogram.text, names.keySet());
    }

    /** Collects and counts; null where the JVM has no such command, or no room for its answer. */
    public static Census take() {
        long number = Budget.numbers();
        long ns = System.nanoTime();
        try {
            return new Census(ClassHistogram.take(), number, ns);
        } catch (JMException | RuntimeException | LinkageError | OutOfMemoryError absent) {
            return null;
        }
    }

    /**
     * Finds the class of each line. A class's figure includes the objects of subclasses that are not instrumented, as
     * everywhere. Where several loaders have a class of one name, each line goes to the class that has as many objects, if
     * that is unambiguous. Call under the sweep's lock, after a sweep.
     */
    public void assign(Registry registry) {
        byId.clear();
        for (Map.Entry<String, List<Integer>> named : names.entrySet()) {
            List<long[]> found = rows.getOrDefault(named.getKey(), Collections.emptyList());
            List<ClassEntry> entries = new ArrayList<>();
            for (int id : named.getValue()) {
                entries.add(ClassTable.entry(id));
            }
            if (entries.size() == 1 && found.size() <= 1) {
                add(entries.get(0).id, found.isEmpty() ? new long[2] : found.get(0));
            } else if (!plain(registry, entries, found)) {
                for (ClassEntry e : entries) {
                    add(e.id, null);
                }
            }
        }
    }

    /** What was registered before it, and is not collected, was found alive. */
    public void tell(Registry registry) {
        registry.marked(number, ns);
    }

    /** Corrects the samples of classes whose figures are known. Call under the sweep's lock, after {@link #assign}. */
    public void calibrate(Registry registry) {
        for (ClassEntry e : ClassTable.entries()) {
            long live = e.live ? objects(e) : UNKNOWN;
            if (live != UNKNOWN) {
                registry.of(e).calibrate(live);
                registry.of(e).remember(live);
            }
        }
    }

    /** Adds each line to the class with its number of objects; false if that is ambiguous. */
    private boolean plain(Registry registry, List<ClassEntry> entries, List<long[]> found) {
        List<ClassEntry> alive = new ArrayList<>();
        for (ClassEntry e : entries) {
            if (!e.live || !e.exact()) {
                return false;
            }
            if (registry.of(e).sample.count > 0) {
                alive.add(e);
            }
        }
        if (alive.size() != found.size()) {
            return false;
        }
        alive.sort((a, b) -> Integer.compare(registry.of(a).sample.count, registry.of(b).sample.count));
        found.sort((a, b) -> Long.compare(a[0], b[0]));
        for (int i = 0; i < found.size(); i++) {
            if (found.get(i)[0] != registry.of(alive.get(i)).sample.count) {
                return false;
            }
        }
        for (int i = 0; i < found.size(); i++) {
            add(alive.get(i).id, found.get(i));
        }
        return true;
    }

    /** Adds a line to a class; null: the figure is not known. */
    private void add(int id, long[] line) {
        long[] sum = byId.computeIfAbsent(id, i -> new long[2]);
        if (line == null || sum[0] == UNKNOWN) {
            sum[0] = UNKNOWN;
        } else {
            sum[0] += line[0];
            sum[1] += line[1];
        }
    }

    /** Live objects of a class and of its subclasses that are not instrumented, or {@link #UNKNOWN}. */
    long objects(ClassEntry e) {
        long[] sum = byId.get(e.id);
        return sum == null || e.leavesBeforeOut() ? UNKNOWN : sum[0];
    }

    /** Their shallow bytes. */
    long bytes(ClassEntry e) {
        return byId.get(e.id)[1];
    }
}
