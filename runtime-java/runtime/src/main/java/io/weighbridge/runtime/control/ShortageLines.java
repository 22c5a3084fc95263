package io.weighbridge.runtime.control;

import io.weighbridge.runtime.shortage.Watch;

/** Takes the lines of decisions into the recording. */
final class ShortageLines implements Watch.Recorder {
    private final Measurements measurements;

    ShortageLines(Measurements measurements) {
        this.measurements = measurements;
    }

    @Override
    public boolean record(StringBuilder lines) {
        if (!measurements.options.get().records) {
            return true;
        }
        if (!measurements.tryLock()) {
            return false;
        }
        try {
            if (!measurements.recording.isClosed()) {
                measurements.recording.append(lines);
            }
            return true;
        } finally {
            measurements.unlock();
        }
    }

    @Override
    public long uptimeMs() {
        return measurements.recording.uptimeMs();
    }
}
