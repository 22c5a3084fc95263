package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.Notices;

/** The looks for peaks, as the options in force want them. Belongs to the runtime's thread. */
final class PeakLooks {
    private final Measurements measurements;
    private PeakWatch peaks;
    private PeakOptions peaksOf;

    PeakLooks(Measurements measurements) {
        this.measurements = measurements;
    }

    /** Looks at the bytes allocated and counts live ones if there may be a new peak. */
    void look() {
        Options now = measurements.options.get();
        if (now.peak != peaksOf) {
            peaksOf = now.peak;
            peaks = PeakWatch.of(measurements.registry.clock, now);
        }
        if (peaks == null || !peaks.mustCount() || !measurements.tryLock()) {
            return;
        }
        long start = System.nanoTime();
        long cpu = Management.threadCpuNs();
        try {
            if (!measurements.recording.isClosed() && !measurements.isEnding()) {
                peaks.count(measurements, now.cpuPercent);
            }
        } catch (Exception e) {
            peaks = null;
            Notices.note("peaks are no longer watched: " + e);
        } finally {
            measurements.done(start, cpu);
            measurements.unlock();
        }
    }
}
