package io.weighbridge.runtime;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;

/**
 * The heap dump of the greatest peak: written beside its place and moved into it, so that the dump before stays whole
 * until there is a better one (S1.21).
 *
 * <p>A dump is given up when there is not room on the disk for twice the heap in use (the old one and the new one have
 * to fit), when the peak is not enough above the dumped one, and after a number of them.
 */
final class PeakDump {
    /** An HPROF file is about as large as the objects in it; this much is left to others. */
    private static final int ROOM = 2;
    private final PeakOptions options;
    private int made;
    private long dumpedPeak;

    PeakDump(PeakOptions options) {
        this.options = options;
    }

    /** The file, absolute, if a dump of this peak was made; null otherwise. */
    String write(long peak) {
        if (options.dump == null || made >= options.dumps
                || made > 0 && peak < dumpedPeak + dumpedPeak / 100.0 * options.dumpGrowth) {
            return null;
        }
        Path file = Paths.get(RecordingFile.expand(options.dump)).toAbsolutePath();
        Path fresh = file.resolveSibling(file.getFileName() + ".writing.hprof");
        try {
            if (file.getParent() != null) {
                Files.createDirectories(file.getParent());
            }
            long free = Files.getFileStore(file.getParent()).getUsableSpace();
            Runtime vm = Runtime.getRuntime();
            if (free < (vm.totalMemory() - vm.freeMemory()) * ROOM) {
                Notices.note("no heap dump of a peak: the disk of " + file + " has too little room");
                return null;
            }
            Files.deleteIfExists(fresh);
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(fresh.toString(), true);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            made++;
            dumpedPeak = peak;
            return file.toString();
        } catch (IOException | RuntimeException | LinkageError e) {
            Notices.note("no heap dump of a peak: " + e);
            made = options.dumps;
            try {
                Files.deleteIfExists(fresh);
            } catch (IOException | RuntimeException left) {
                // It stays; the note says why.
            }
            return null;
        }
    }
}
