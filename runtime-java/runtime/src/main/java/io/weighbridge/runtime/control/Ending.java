package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.record.Json;
import io.weighbridge.runtime.record.Occasion;
import io.weighbridge.runtime.record.Recording;
import io.weighbridge.runtime.shortage.Shortage;
import io.weighbridge.runtime.walk.Measurement;

/** How the runtime ends, with the JVM or before it: the last snapshot and the footer of the recording. */
final class Ending {
    private final Measurements measurements;
    /** Null for a recording that has none. */
    private final TraceRuns traces;
    private final LastMeasurement last = new LastMeasurement();
    /** Switched off for good. */
    volatile boolean disabled;

    Ending(Measurements measurements, TraceRuns traces) {
        this.measurements = measurements;
        this.traces = traces;
    }

    /** Closes the recording without a last snapshot. */
    void disable() {
        disabled = true;
        finish("disabled", 0);
    }

    /** The last snapshot and the footer. Interrupts a measurement that is running. */
    void finish(String reason, long walkNanos) {
        finish(Occasion.ofEnd(reason), walkNanos);
    }

    /** The same with a grant of its own for stops. */
    void finish(Occasion occasion, long walkNanos) {
        String reason = occasion.reason;
        if (traces != null) {
            traces.endAll(reason);
        }
        Options options = measurements.options.get();
        if (!options.enabled || !options.records) {
            return;
        }
        StringBuilder decisions = decisions();
        measurements.end();
        if (!measurements.lock()) {
            Notices.warn("the recording has no end: another measurement did not give up, or this thread was interrupted");
            return;
        }
        try {
            Recording recording = measurements.recording;
            if (recording.isClosed()) {
                return;
            }
            if (decisions.length() > 0) {
                recording.append(decisions);
            }
            if (options.dumpOnExit && !disabled) {
                measurements.snapshot(occasion, walkNanos, last);
                if (last.isTaken()) {
                    return;
                }
            }
            if (options.dumpOnExit && !disabled || recording.isHeaded()) {
                footer(reason);
            }
            recording.close();
        } finally {
            measurements.unlock();
        }
    }

    /** Decisions on memory shortage that the recording could not take so far: it may have been busy. */
    private StringBuilder decisions() {
        Shortage shortage = measurements.shortage;
        try {
            return shortage == null ? new StringBuilder() : shortage.takeUnwritten();
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
            return new StringBuilder();
        }
    }

    /**
     * The last walk takes too long: it may wait for a lock that the program holds while it exits. Writes what was counted
     * before it. The thread that walks has the measuring lock; whichever thread claims the last snapshot writes it.
     */
    void finishWithoutWalk(String reason) {
        Measurement m = last.counted;
        Occasion occasion = last.occasion;
        if (m == null || occasion == null || !last.claim()) {
            return;
        }
        m.stopped = "no time left, perhaps for a lock that the exiting program holds";
        StringBuilder lines = new StringBuilder();
        measurements.writeSnapshot(new Json(lines), occasion, m);
        measurements.recording.append(lines);
        footer(reason);
        measurements.recording.close();
    }

    private void footer(String reason) {
        StringBuilder footer = new StringBuilder();
        Json json = new Json(footer).line("footer").field("at_ms", System.currentTimeMillis())
                .field("uptime_ms", measurements.recording.uptimeMs()).field("reason", reason);
        measurements.cost.write(json, measurements.recording.bytes());
        measurements.recording.append(footer);
    }
}
