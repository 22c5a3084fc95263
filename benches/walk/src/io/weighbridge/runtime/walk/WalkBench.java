package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.ObjectSizes;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import org.github.jamm.MemoryMeter;
import org.openjdk.jol.info.GraphLayout;

/**
 * CPU nanoseconds per object of our walk (with colouring, attribution and the holders of objects), JOL's {@code
 * GraphLayout} and jamm's {@code MemoryMeter}, in turn in one JVM, each on new graphs.
 *
 * <p>Arguments: objects per graph, rounds. A line of output is {@code tool shape pass round objects bytes ns}. In the first
 * pass over a graph the objects have no identity hash yet, in the second pass they have one.
 */
public final class WalkBench {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final MemoryMeter JAMM = MemoryMeter.builder().build();

    private WalkBench() {
    }

    /** Returns objects and bytes. */
    private interface Tool {
        long[] measure(Object root);
    }

    private static final Map<String, Tool> TOOLS = Map.of("weighbridge", WalkBench::ours, "jol", WalkBench::jol,
            "jamm", root -> new long[] {0, JAMM.measureDeep(root)});
    private static final String[] ORDER = {"weighbridge", "jol", "jamm"};

    private static long[] ours(Object root) {
        Shapes shapes = new Shapes(ObjectSizes.get(), FieldAccess.get(), new ClassPatterns(), false, new ClassPatterns());
        RootClassSets sets = new RootClassSets();
        Walk walk = new Walk(shapes, new WalkLimits(0, Long.MAX_VALUE), sets, OwnLabels.none(1), new int[0], Walk.table(true));
        walk.from(new Object[] {root}, 1, 0, null);
        walk.run();
        Attribution held = new Attribution(walk.deep, sets, new int[] {0}, 1);
        return new long[] {held.measuredObjects, held.measuredBytes};
    }

    private static long[] jol(Object root) {
        GraphLayout layout = GraphLayout.parseInstance(root);
        return new long[] {layout.totalCount(), layout.totalSize()};
    }

    public static void main(String[] args) {
        int objects = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        String only = args.length > 2 ? args[2] : "";
        if (only.equals("cold")) {
            cold(Graphs.ALL.get(args[3]).apply(objects), args[3]);
            return;
        }
        for (int i = 0; i < 20; i++) {
            for (IntFunction<Object> graph : Graphs.ALL.values()) {
                Object root = graph.apply(20_000);
                for (String tool : ORDER) {
                    TOOLS.get(tool).measure(root);
                }
            }
        }
        for (int round = 0; round < rounds; round++) {
            for (Map.Entry<String, IntFunction<Object>> graph : Graphs.ALL.entrySet()) {
                for (int i = 0; i < ORDER.length; i++) {
                    String tool = ORDER[(round + i) % ORDER.length];
                    if (only.isEmpty() || only.equals(tool)) {
                        passes(tool, graph.getKey(), round, graph.getValue().apply(objects));
                    }
                }
            }
        }
    }

    /** The first walk of a JVM, with what it makes the compilers do: CPU time of the thread, and of the process until it is quiet. */
    private static void cold(Object root, String shape) {
        com.sun.management.OperatingSystemMXBean process =
                (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        System.gc();
        quiet(process);
        long ofAll = process.getProcessCpuTime();
        long before = THREADS.getCurrentThreadCpuTime();
        long objects = ours(root)[0];
        long ns = THREADS.getCurrentThreadCpuTime() - before;
        quiet(process);
        System.out.println(String.format(Locale.ROOT, "cold %s %d objects: %.2f us each on the thread, %.2f of the process", shape,
                objects, ns / 1e3 / objects, (process.getProcessCpuTime() - ofAll) / 1e3 / objects));
    }

    /** Waits until the threads of the JVM do nothing. */
    private static void quiet(com.sun.management.OperatingSystemMXBean process) {
        try {
            long last;
            do {
                last = process.getProcessCpuTime();
                Thread.sleep(200);
            } while (process.getProcessCpuTime() - last > 5_000_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void passes(String name, String shape, int round, Object root) {
        Tool tool = TOOLS.get(name);
        for (String pass : new String[] {"first", "second"}) {
            System.gc();
            long before = THREADS.getCurrentThreadCpuTime();
            long[] measured = tool.measure(root);
            long ns = THREADS.getCurrentThreadCpuTime() - before;
            System.out.println(String.format(Locale.ROOT, "%s %s %s %d %d %d %d", name, shape, pass, round, measured[0],
                    measured[1], ns));
        }
    }
}
