package io.weighbridge.runtime.record;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.DumpFolder;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.PauseBudget;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes the live objects to a file, with the program's component nodes among them. The dump is written beside the file and
 * then renamed, so that an older file stays whole until the new one is. If native code pins the heap, the JVM does not collect
 * before a dump (JDK 11 to 21); a note then says that the file has garbage in it.
 *
 * <p>One at a time, because the end of a dump drops the nodes described for it.
 */
public final class HeapDump {
    private static final long PATIENCE_SECONDS = 30;
    private static final ReentrantLock WRITING = new ReentrantLock();

    private HeapDump() {
    }

    /**
     * Null if the file is there, and why not otherwise. Replaces a file. {@code grantedNs}: the program is not meant to be stopped
     * for longer.
     */
    public static String write(Path file, long grantedNs) throws IOException, InterruptedException {
        long predicted = PauseBudget.predict(PauseBudget.Stop.DUMP);
        if (predicted > grantedNs) {
            return PauseBudget.leftOut("it is not written", "write it", predicted);
        }
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file)) {
            return file + " is no file that a dump may replace";
        }
        if (!WRITING.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            return "another is being written";
        }
        // HotSpot writes no file without this ending.
        Path fresh = file.resolveSibling(file.getFileName() + ".writing.hprof");
        try {
            if (file.getParent() != null) {
                Files.createDirectories(file.getParent());
            }
            if (!DumpFolder.hasRoom(file.getParent())) {
                return "the disk of " + file + " has too little room";
            }
            Files.deleteIfExists(fresh);
            ComponentNodes.describe();
            CollectorBeans beans = Management.collectors();
            int before = beans == null ? 0 : beans.fullCount();
            long bytes = PauseBudget.Stop.DUMP.bytes();
            long start = System.nanoTime();
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(fresh.toString(), true);
            PauseBudget.learn(PauseBudget.Stop.DUMP, bytes, System.nanoTime() - start);
            if (beans != null && beans.skippedCollection(before)) {
                Notices.note("the heap dump " + file + " holds unreachable objects, too: the JVM could not collect before it");
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            return null;
        } finally {
            ComponentNodes.forget();
            try {
                Files.deleteIfExists(fresh);
            } catch (IOException | RuntimeException left) {
                // The file stays; the failure before it is told.
            }
            WRITING.unlock();
        }
    }
}
