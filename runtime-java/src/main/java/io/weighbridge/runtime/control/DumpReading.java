package io.weighbridge.runtime.control;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.jvm.PauseBudget.Stop;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.record.Cost;
import io.weighbridge.runtime.record.DumpQuestion;
import io.weighbridge.runtime.record.Occasion;
import io.weighbridge.runtime.registry.Registry;
import io.weighbridge.runtime.walk.DumpFigures;
import io.weighbridge.runtime.walk.Measurement;
import io.weighbridge.runtime.walk.Shapes;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A measurement by a heap dump, where the native agent has a program that reads it (option {@code reader}): the JVM collects and
 * writes the dump in one stop, and a process of its own finds what a walk would, of all objects. It takes no memory of this
 * heap, and what the program does meanwhile changes no figure. Guarded by the measuring lock.
 */
final class DumpReading {
    /** For each byte of the heap; the reader takes about a second for 100 MB. */
    private static final long PATIENCE_NS_A_BYTE = 100;
    private static final long LEAST_PATIENCE_MS = 10_000;
    private static final double FIRST_GUESS_NS_A_BYTE = 12;
    /** A process of the reader's begins and ends. */
    private static final long LEAST_NS = 50_000_000;
    /** A dump is about as large as its objects. */
    private static final int ROOM = 2;
    private final OptionsInForce options;
    private final Cost cost;
    private final Registry registry;
    /** The dump of this measurement, in a folder of its own; null if there is none. */
    private Path dump;
    /** What the dump took for this measurement; 0 without one. */
    private long stoppedNs;
    /** The same of its reader. */
    private long readNs;
    /** Of the heap, right before. */
    private long bytes;
    /** The same for each byte of the heap the last time. */
    private double tookNsAByte = FIRST_GUESS_NS_A_BYTE;
    /** It has failed, and is not tried again. */
    private boolean failed;

    DumpReading(OptionsInForce options, Cost cost, Registry registry) {
        this.options = options;
        this.cost = cost;
        this.registry = registry;
    }

    /** Whether measurements are made so. */
    private boolean isWanted() {
        Options now = options.get();
        return !failed && now.reader != null && now.collect && NativeAgent.isPresent() && Files.isExecutable(Path.of(now.reader));
    }

    boolean isThere() {
        return dump != null;
    }

    /** Writes the dump, if the owner grants the stop; false if there is none. What is counted next is of its moment. */
    boolean before(Occasion occasion) {
        if (!isWanted() || PauseBudget.predict(Stop.DUMP) > occasion.grantedNs || predict() > occasion.affordableNs) {
            return false;
        }
        try {
            Path folder = Files.createTempDirectory("weighbridge-measure");
            dump = folder.resolve("heap.hprof");
            Runtime vm = Runtime.getRuntime();
            if (Files.getFileStore(folder).getUsableSpace() < (vm.totalMemory() - vm.freeMemory()) * ROOM) {
                return giveUp("the disk of " + folder.getParent() + " has too little room for a heap dump");
            }
            HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            CollectorBeans beans = Management.collectors();
            int collections = beans == null ? 0 : beans.fullCount();
            bytes = Stop.DUMP.bytes();
            long next = Budget.numbers();
            long start = System.nanoTime();
            bean.dumpHeap(dump.toString(), true);
            stoppedNs = System.nanoTime() - start;
            PauseBudget.learn(Stop.DUMP, bytes, stoppedNs);
            cost.forcedPauseMs += stoppedNs / 1_000_000;
            // If native code pins the heap, the JVM does not collect before it writes. The reader leaves out what is dead.
            if (beans == null || !beans.skippedCollection(collections)) {
                registry.marked(next, start);
                occasion.collected = true;
                cost.forcedCollections++;
            }
            return true;
        } catch (IOException | RuntimeException | LinkageError e) {
            return giveUp("no heap dump: " + e);
        }
    }

    /** Has the dump read, for what was counted after it; false if the figures must come from a walk. The dump goes. */
    boolean fill(Measurement m, Shapes shapes, long mostNs) {
        if (dump == null) {
            return false;
        }
        long start = System.nanoTime();
        try {
            Options now = options.get();
            int[] tags = m.tagsInUse();
            Path question = dump.resolveSibling("question.json");
            String text = DumpQuestion.of(m, withThoseBelow(now.hubs), withThoseBelow(now.exclude), now.soft, now.holders, tags);
            Files.write(question, text.getBytes(StandardCharsets.UTF_8));
            long patience = Math.max(LEAST_PATIENCE_MS, Files.size(dump) * PATIENCE_NS_A_BYTE / 1_000_000);
            Object answer = NativeAgent.readDump(now.reader, dump.toString(), question.toString(),
                    mostNs == 0 ? patience : Math.min(patience, mostNs / 1_000_000));
            DumpFigures figures = answer instanceof Object[]
                    ? DumpFigures.of((Object[]) answer, m.populations.size(), m.named + 1) : null;
            if (figures == null) {
                return giveUp(answer instanceof String ? (String) answer : "the heap dump's answer is cut");
            }
            readNs = System.nanoTime() - start;
            tookNsAByte = Math.max(0, stoppedNs + readNs - LEAST_NS) / (double) Math.max(1, bytes);
            m.read(figures, tags, shapes, stoppedNs, readNs);
            return true;
        } catch (IOException | RuntimeException | LinkageError e) {
            return giveUp("no heap dump: " + e);
        } finally {
            delete();
        }
    }

    /** What the next measurement by a dump takes of a core, if its reader has one for itself. */
    private long predict() {
        return LEAST_NS + (long) (tookNsAByte * Stop.DUMP.bytes());
    }

    /** What the last measurement's dump took; asked for again, 0. */
    long takeStoppedNs() {
        long took = stoppedNs;
        stoppedNs = 0;
        return took;
    }

    /** The same of its reader. */
    long takeReadNs() {
        long took = readNs;
        readNs = 0;
        return took;
    }

    /** Names and, as a dump tells no interfaces, the classes below those that are interfaces. */
    private static String[] withThoseBelow(String[] names) {
        String[] below = names.length == 0 ? names : NativeAgent.classesBelowInterfaces(String.join("\n", names));
        if (below == null || below.length == 0) {
            return names;
        }
        String[] all = Arrays.copyOf(names, names.length + below.length);
        System.arraycopy(below, 0, all, names.length, below.length);
        return all;
    }

    private boolean giveUp(String why) {
        failed = true;
        delete();
        Notices.note("measurements walk the heap instead of reading a dump: " + why);
        return false;
    }

    /** Lets go of a dump that nobody has read. */
    void delete() {
        Path file = dump;
        dump = null;
        if (file == null) {
            return;
        }
        Path folder = file.getParent();
        // A reader that was ended may have left a part of its answer.
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path one : files) {
                Files.deleteIfExists(one);
            }
            Files.deleteIfExists(folder);
        } catch (IOException | RuntimeException left) {
            // The next dump has a folder of its own.
        }
    }
}
