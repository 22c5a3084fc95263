package io.weighbridge.runtime.shortage;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.DumpFolder;
import io.weighbridge.runtime.jvm.NativeAgent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
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
        DumpFolder folder = null;
        try {
            folder = new DumpFolder();
            failure = folder.refusal();
            if (failure != null) {
                return;
            }
            Path dump = folder.dump();
            long start = System.nanoTime();
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(dump.toString(), false);
            stoppedMs = (System.nanoTime() - start) / 1_000_000;
            Object answer = NativeMethods.analyse(analyser, dump.toString(), PATIENCE_MS);
            if (answer instanceof long[]) {
                fill((long[]) answer, candidates);
            } else {
                failure = String.valueOf(answer);
            }
        } catch (IOException | RuntimeException | LinkageError e) {
            failure = "no heap dump: " + e;
        } finally {
            if (folder != null) {
                folder.delete();
            }
        }
    }

    /** Uses once what a measure needs, but the dump: see {@code Watch.rehearse}. */
    void rehearse() {
        try {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            DumpFolder folder = new DumpFolder();
            folder.refusal();
            folder.delete();
        } catch (IOException | RuntimeException | LinkageError later) {
            // The first measure will say it.
        }
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
}
