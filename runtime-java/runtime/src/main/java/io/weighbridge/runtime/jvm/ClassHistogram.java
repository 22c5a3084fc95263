package io.weighbridge.runtime.jvm;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringTokenizer;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The JVM's class histogram ({@code GC.class_histogram}): a full collection, then a count of every live object, in one
 * pause. Exact, unless the JVM could not collect: Serial, Parallel, and G1 before JDK 22 (JEP 423) do not collect while a
 * thread is in a JNI critical region, and dead objects count, too. ZGC and Shenandoah do not collect and count what is
 * reachable.
 *
 * <p>Where the methods of the JDK's own management bean can be reached ({@link FieldAccess}), the command is called as the
 * bean calls it. To start a bean server would cost some 100 ms of CPU.
 */
public final class ClassHistogram {
    private static final String COMMAND = "GC.class_histogram";
    private static final int ATTEMPTS = 2;

    /** No dead object was counted. */
    public final boolean collected;
    /** Shallow bytes of all live objects of the heap. */
    public final long totalBytes;
    /** For {@link #rows}. */
    public final String text;

    private ClassHistogram(String text, boolean collected) throws JMException {
        this.text = text;
        this.collected = collected;
        totalBytes = total(text);
    }

    /** Collects and counts. Throws where the JVM has no such command. */
    public static ClassHistogram take() throws JMException {
        CollectorBeans beans = Management.collectors();
        int attempts = beans != null && beans.neverCollects() ? 1 : ATTEMPTS;
        ClassHistogram histogram = null;
        for (int attempt = 0; attempt < attempts && (histogram == null || !histogram.collected); attempt++) {
            int before = beans == null ? 0 : beans.fullCount();
            String text = text();
            histogram = new ClassHistogram(text, beans == null || !beans.skippedCollection(before));
        }
        return histogram;
    }

    private static String text() throws JMException {
        MethodHandle command = Command.HANDLE;
        if (command != null) {
            try {
                return (String) command.invokeExact(COMMAND);
            } catch (OutOfMemoryError full) {
                throw full;
            } catch (Throwable changed) {
                // The bean below fails the same way, or works.
            }
        }
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] {new String[0]}, new String[] {String[].class.getName()});
    }

    /** A class of its own: initialised at the first use. */
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

    /**
     * The lines {@code num: instances bytes name (module)} of the given names: for each, and loader where several have
     * loaded one, {@code {objects, bytes}}.
     */
    public static Map<String, List<long[]>> rows(String histogram, Set<String> names) {
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
                    if (names.contains(name)) {
                        rows.computeIfAbsent(name, n -> new ArrayList<>(1))
                                .add(new long[] {Long.parseLong(instances), Long.parseLong(bytes)});
                    }
                }
            }
            start = end + 1;
        }
        return rows;
    }
}
