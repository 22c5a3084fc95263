package io.weighbridge.runtime.shortage;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.weighbridge.runtime.jvm.NativeAgent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What threads hold, exactly: a heap dump that the command line's program analyses in a process of its own, with no memory of
 * this JVM's heap. The dump stops the program; how long is told.
 */
final class ExactBytes {
    /** The analysis of a dump of a gigabyte takes some seconds. */
    private static final long PATIENCE_MS = 30_000;
    /** Numbers in a row: the thread's id, and the bytes that it holds alone. */
    private static final int ROW = 2;
    /** How long the program was stopped for the last dump, at most; negative if there was none. */
    long stoppedMs = -1;
    /** Why the last measure failed, or null. */
    String failure;

    /** Fills in what is found, if the policy asks for it. */
    void measure(Policy policy, List<Candidate> candidates) {
        stoppedMs = -1;
        failure = null;
        if (policy.analyser == null || candidates.isEmpty()) {
            return;
        }
        if (policy.observes) {
            failure = "a dry run takes no heap dump";
        } else if (!NativeAgent.isPresent()) {
            failure = "only the native agent can run the analyser";
        } else if (!Files.isExecutable(Path.of(policy.analyser))) {
            failure = policy.analyser + " is no program that this JVM may run";
        } else {
            dumped(policy.analyser, candidates);
        }
    }

    private void dumped(String analyser, List<Candidate> candidates) {
        Path folder = null;
        try {
            folder = folder();
            if (failure != null) {
                return;
            }
            Path dump = folder.resolve("heap.hprof");
            long start = System.nanoTime();
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(dump.toString(), false);
            stoppedMs = (System.nanoTime() - start) / 1_000_000;
            Object answer = NativeAgent.analyse(analyser, dump.toString(), PATIENCE_MS);
            if (answer instanceof long[]) {
                fill((long[]) answer, candidates);
            } else {
                failure = String.valueOf(answer);
            }
        } catch (IOException | RuntimeException | LinkageError e) {
            failure = "no heap dump: " + e;
        } finally {
            delete(folder);
        }
    }

    /** A new folder that only its owner can open; {@link #failure} says if it has no room for a dump. */
    private Path folder() throws IOException {
        Path folder = Files.createTempDirectory("weighbridge-shortage");
        if (Files.getFileStore(folder).getUsableSpace() < Pressure.usedHeap() * 2) {
            failure = "the disk of " + folder.getParent() + " has too little room for a heap dump";
        }
        return folder;
    }

    /** Uses once what a measure needs, but the dump: see {@code Watch.rehearse}. */
    void rehearse() {
        try {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            delete(folder());
        } catch (IOException | RuntimeException | LinkageError later) {
            // The first measure will say it.
        }
        failure = null;
    }

    @SuppressWarnings("deprecation") // Thread.threadId is of JDK 19.
    private static void fill(long[] rows, List<Candidate> candidates) {
        for (Candidate candidate : candidates) {
            for (int at = 0; at + ROW <= rows.length; at += ROW) {
                if (rows[at] == candidate.work.thread.getId()) {
                    candidate.held = rows[at + 1];
                }
            }
        }
    }

    private static void delete(Path folder) {
        if (folder == null) {
            return;
        }
        // An analyser that was ended may have left a part of its report.
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (IOException | RuntimeException left) {
            // The next dump has a folder of its own.
        }
    }
}
