package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.record.Occasion;

/** Measures at the interval of the options: those of the session, or those of a run. For the runtime's thread. */
final class Schedule {
    private final Measurements measurements;
    private final Spacing spacing = new Spacing();

    Schedule(Measurements measurements) {
        this.measurements = measurements;
    }

    /** Milliseconds until the next measurement, at most {@code most}. */
    long waitMs(long now, long most) {
        return spacing.waitMs(now, most);
    }

    /** Measures if it is time. */
    void interval(long now, boolean afterCollection) {
        Options options = measurements.options.get();
        spacing.interval(options.intervalMs, now);
        measurements.stretch = spacing.stretch();
        long cpu = Management.threadCpuNs();
        measurements.cost.threadCpuNs = cpu;
        measurements.cost.thread = Thread.currentThread();
        if (!spacing.isDue(now, afterCollection)) {
            return;
        }
        long start = System.nanoTime();
        measurements.measure(Occasion.ofInterval(options.intervalMs * 10_000 * options.cpuPercent));
        long after = Management.threadCpuNs();
        measurements.cost.threadCpuNs = after;
        long took = cpu >= 0 && after >= 0 ? after - cpu + measurements.dumpedNs() : System.nanoTime() - start;
        spacing.measured(start, took, options.cpuPercent);
        measurements.stretch = spacing.stretch();
    }
}
