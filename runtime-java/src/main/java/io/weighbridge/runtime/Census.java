package io.weighbridge.runtime;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The JVM's own count of all live objects, class by class: its class histogram ({@code GC.class_histogram}, S1.3), a full
 * collection and then every live object once, in one pause. Exact, unless the JVM could not collect: Serial, Parallel, and
 * G1 before JDK 22 (JEP 423) skip that while a thread is in a JNI critical region, and dead objects count, too. ZGC and
 * Shenandoah do not collect and count what is reachable.
 *
 * <p>The command is called as the JDK's own management bean calls it, where its methods can be reached ({@link
 * FieldAccess}): the bean server costs a program that has none some 100 ms of CPU.
 */
final class Census {
    /** What {@link #objects} says of a class that the histogram cannot tell from others. */
    static final long UNKNOWN = -1;
    private static final String COMMAND = "GC.class_histogram";
    private static final int ATTEMPTS = 2;

    /** No dead object was counted. */
    final boolean collected;
    /** Shallow bytes of all live objects of the heap. */
    final long totalBytes;
    /** By name, and loader where several have loaded one: {@code {objects, bytes}}. */
    private final Map<String, List<long[]>> rows;
    private final Map<String, List<Integer>> names;
    /** Of the instrumented classes, by id. */
    private final Map<Integer, long[]> byId = new HashMap<>();

    private Census(String histogram, boolean collected) throws JMException {
        this.collected = collected;
        totalBytes = total(histogram);
        Map<String, List<Integer>> known = ClassTable.names();
        names = known == null ? Collections.emptyMap() : known;
        rows = rows(histogram, names);
    }

    /** Collects and counts; null where the JVM has no such command, or no room for its answer. */
    static Census take() {
        try {
            CollectorBeans beans = CollectionClock.beans();
            int attempts = beans != null && beans.neverCollects() ? 1 : ATTEMPTS;
            Census census = null;
            for (int attempt = 0; attempt < attempts && (census == null || !census.collected); attempt++) {
                int before = beans == null ? 0 : beans.fullCount();
                String histogram = histogram();
                census = new Census(histogram, beans == null || !beans.skippedCollection(before));
            }
            return census;
        } catch (JMException | RuntimeException | LinkageError | OutOfMemoryError absent) {
            return null;
        }
    }

    private static String histogram() throws JMException {
        MethodHandle command = Command.HANDLE;
        if (command != null) {
            try {
                return (String) command.invokeExact(COMMAND);
            } catch (OutOfMemoryError full) {
                throw full;
            } catch (Throwable changed) {
                // The bean says it again, or works.
            }
        }
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] {new String[0]}, new String[] {String[].class.getName()});
    }

    /** Found when somebody first asks. */
    static final class Command {
        /** {@code (String)String}, or null. */
        static final MethodHandle HANDLE = find();

        private static MethodHandle find() {
            MethodHandles.Lookup lookup = FieldAccess.get().lookup;
            if (lookup == null) {
                return null;
            }
            try {
                Class<?> type = Class.forName("com.sun.management.internal.DiagnosticCommandImpl");
                Class<?> made = Class.forName("com.sun.management.DiagnosticCommandMBean");
                Object bean = lookup.findStatic(type, "getDiagnosticCommandMBean", MethodType.methodType(made)).invoke();
                return lookup.bind(bean, "executeDiagnosticCommand", MethodType.methodType(String.class, String.class));
            } catch (Throwable changed) {
                return null;
            }
        }
    }

    /** The last line is {@code Total  instances  bytes}. */
    static long total(String histogram) throws JMException {
        int line = histogram.lastIndexOf("Total");
        StringTokenizer words = new StringTokenizer(line < 0 ? "" : histogram.substring(line));
        if (words.countTokens() < 3) {
            throw new JMException("a class histogram without a total");
        }
        words.nextToken();
        words.nextToken();
        return Long.parseLong(words.nextToken());
    }

    /** The lines {@code num: instances bytes name (module)} of the given names. */
    static Map<String, List<long[]>> rows(String histogram, Map<String, List<Integer>> names) {
        Map<String, List<long[]>> rows = new HashMap<>();
        for (int start = 0; start < histogram.length(); ) {
            int end = histogram.indexOf('\n', start);
            end = end < 0 ? histogram.length() : end;
            int colon = histogram.indexOf(':', start);
            if (colon >= 0 && colon < end) {
                StringTokenizer words = new StringTokenizer(histogram.substring(colon + 1, end));
                if (words.countTokens() >= 3) {
                    String instances = words.nextToken();
                    String bytes = words.nextToken();
                    String name = words.nextToken();
                    if (names.containsKey(name)) {
                        rows.computeIfAbsent(name, n -> new ArrayList<>(1))
                                .add(new long[] {Long.parseLong(instances), Long.parseLong(bytes)});
                    }
                }
            }
            start = end + 1;
        }
        return rows;
    }

    /**
     * Says which class each line is of. A class's figure has the objects of subclasses that are not instrumented, as
     * everywhere. Where several loaders have a class of one name, the lines fall to those that had as many objects by
     * count, if that is plain. Call under the sweep's lock, after a sweep.
     */
    void assign() {
        for (Map.Entry<String, List<Integer>> named : names.entrySet()) {
            List<long[]> found = rows.getOrDefault(named.getKey(), Collections.emptyList());
            List<ClassEntry> entries = new ArrayList<>();
            for (int id : named.getValue()) {
                entries.add(ClassTable.entry(id));
            }
            if (entries.size() == 1 && found.size() <= 1) {
                add(entries.get(0).id, found.isEmpty() ? new long[2] : found.get(0));
            } else if (!plain(entries, found)) {
                for (ClassEntry e : entries) {
                    add(e.id, null);
                }
            }
        }
    }

    /** Each of the lines is one class's by its count. */
    private boolean plain(List<ClassEntry> entries, List<long[]> found) {
        List<ClassEntry> alive = new ArrayList<>();
        for (ClassEntry e : entries) {
            if (!e.live || !e.exact()) {
                return false;
            }
            if (e.sample.count > 0) {
                alive.add(e);
            }
        }
        if (alive.size() != found.size()) {
            return false;
        }
        alive.sort((a, b) -> Integer.compare(a.sample.count, b.sample.count));
        found.sort((a, b) -> Long.compare(a[0], b[0]));
        for (int i = 0; i < found.size(); i++) {
            if (found.get(i)[0] != alive.get(i).sample.count) {
                return false;
            }
        }
        for (int i = 0; i < found.size(); i++) {
            add(alive.get(i).id, found.get(i));
        }
        return true;
    }

    /** Adds a line to a class; null: nobody can tell. */
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
        return sum == null ? UNKNOWN : sum[0];
    }

    /** Their shallow bytes. */
    long bytes(ClassEntry e) {
        return byId.get(e.id)[1];
    }
}
