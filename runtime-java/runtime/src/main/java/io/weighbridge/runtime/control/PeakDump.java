package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.record.HeapDump;
import io.weighbridge.runtime.record.RecordingFile;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The heap dump of the greatest peak. There is none if the disk has no room for twice the heap in use, if the peak is not
 * far enough above the dumped one, or after a number of dumps.
 */
final class PeakDump {
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
        try {
            Path file = Path.of(RecordingFile.expand(options.dump)).toAbsolutePath();
            String refused = HeapDump.write(file, PauseBudget.granted());
            if (refused != null) {
                Notices.note("no heap dump of a peak: " + refused);
                return null;
            }
            made++;
            dumpedPeak = peak;
            return file.toString();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException | LinkageError e) {
            Notices.note("no heap dump of a peak: " + e);
            made = options.dumps;
        }
        return null;
    }
}
