package io.weighbridge.runtime.control;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.DumpFolder;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.jvm.PauseBudget.Stop;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.record.Cost;
import io.weighbridge.runtime.record.DumpQuestion;
import io.weighbridge.runtime.record.Occasion;
import io.weighbridge.runtime.registry.Population;
import io.weighbridge.runtime.registry.Registry;
import io.weighbridge.runtime.walk.DumpFigures;
import io.weighbridge.runtime.walk.Measurement;
import io.weighbridge.runtime.walk.Shapes;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

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
    /** Of what the last dump took, at each measurement that cannot afford one: the machine may have been busy, its files cold. */
    private static final double REMEMBERED = 0.75;
    /** A process of the reader's begins and ends. */
    private static final long LEAST_NS = 50_000_000;
    private final OptionsInForce options;
    private final Cost cost;
    private final Registry registry;
    /** The dump of this measurement; null if there is none. */
    private DumpFolder dump;
    /** The JVM has collected right before it wrote the dump. */
    private boolean isCollected;
    /** What the dump took for this measurement; 0 without one. */
    private long stoppedNs;
    /** When the program stood still for it, by {@link System#nanoTime}; the number of the next registration when it was asked for. */
    private long momentNs;
    private long next;
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
        if (!isWanted() || PauseBudget.predict(Stop.DUMP) > occasion.grantedNs) {
            return false;
        }
        if (predict() > occasion.affordableNs) {
            tookNsAByte *= REMEMBERED;
            return false;
        }
        try {
            dump = new DumpFolder();
            String refusal = dump.refusal();
            if (refusal != null) {
                return giveUp(refusal);
            }
            HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            CollectorBeans beans = Management.collectors();
            int collections = beans == null ? 0 : beans.fullCount();
            bytes = Stop.DUMP.bytes();
            next = Budget.numbers();
            long start = System.nanoTime();
            bean.dumpHeap(dump.dump().toString(), true);
            stoppedNs = System.nanoTime() - start;
            momentNs = moment(start);
            PauseBudget.learn(Stop.DUMP, bytes, stoppedNs);
            cost.forcedPauseMs += stoppedNs / 1_000_000;
            // If native code pins the heap, the JVM does not collect before it writes. The reader leaves out what is dead.
            isCollected = beans == null || !beans.skippedCollection(collections);
            if (isCollected) {
                registry.marked(next, start);
                occasion.collected = true;
                cost.forcedCollections++;
            }
            return true;
        } catch (IOException | RuntimeException | LinkageError e) {
            return giveUp("no heap dump: " + e);
        }
    }

    /**
     * When the JVM wrote the dump's first byte, which tells the time in milliseconds: the program stood still then. Before that,
     * collectors that do not stop it may have collected for long.
     */
    private long moment(long start) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(dump.dump()), 64))) {
            int text;
            do {
                text = in.read();
            } while (text > 0);
            in.readInt();
            long agoMs = System.currentTimeMillis() - in.readLong();
            long now = System.nanoTime();
            return now - Math.max(0, Math.min(agoMs * 1_000_000, now - start));
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
            Path file = dump.dump();
            Path question = file.resolveSibling("question.json");
            String text = DumpQuestion.of(m, withThoseBelow(now.hubs), withThoseBelow(now.exclude), now.soft, now.holders, tags);
            Files.write(question, text.getBytes(StandardCharsets.UTF_8));
            long patience = Math.max(LEAST_PATIENCE_MS, Files.size(file) * PATIENCE_NS_A_BYTE / 1_000_000);
            Object answer = NativeMethods.readDump(now.reader, file.toString(), question.toString(),
                    mostNs == 0 ? patience : Math.min(patience, mostNs / 1_000_000));
            readNs = System.nanoTime() - start;
            DumpFigures figures = answer instanceof Object[]
                    ? DumpFigures.of((Object[]) answer, m.populations.size(), m.named + 1) : null;
            if (figures == null) {
                return giveUp(answer instanceof String ? (String) answer : "the heap dump's answer is cut");
            }
            tookNsAByte = Math.max(0, stoppedNs + readNs - LEAST_NS) / (double) Math.max(1, bytes);
            m.read(figures, isCollected, tags, shapes, stoppedNs, readNs);
            m.markedNs = momentNs;
            m.markedUntilNs = momentNs;
            if (isCollected) {
                remember(m.populations);
            }
            return true;
        } catch (IOException | RuntimeException | LinkageError e) {
            return giveUp("no heap dump: " + e);
        } finally {
            delete();
        }
    }

    private void remember(List<Population> found) {
        registry.lock();
        try {
            if (registry.clock.markings.began(next, momentNs)) {
                for (Population p : found) {
                    registry.of(p.entry).remember(p.number);
                }
            }
        } finally {
            registry.unlock();
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
        String[] below = names.length == 0 ? names : NativeMethods.classesBelowInterfaces(String.join("\n", names));
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
        DumpFolder folder = dump;
        dump = null;
        if (folder != null) {
            folder.delete();
        }
    }
}
