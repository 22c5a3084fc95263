package io.weighbridge.runtime.control;

import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.record.Json;
import io.weighbridge.runtime.record.Recording;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A part of the session with a name, settings, filters and a recording of its own: a snapshot at its start, at its interval
 * and at its end. Counts are those since the session began, as everywhere; what a run adds is the difference of its
 * snapshots. Registering costs the same with and without runs.
 */
final class Run {
    final String name;
    private final long sinceMs = System.currentTimeMillis();
    private final Map<String, String> settings;
    private final RunFilter filter;
    private final Recording recording;
    private final Measurements measurements;
    final Schedule schedule;

    /**
     * {@code options}: those of the session with the settings; {@code session}: its measurements; {@code tables}: what it has
     * linked.
     */
    Run(String name, Options options, Map<String, String> settings, RunFilter filter,
            Measurements session, List<LinkTable> tables) {
        this.name = name;
        this.settings = new TreeMap<>(settings);
        this.filter = filter;
        recording = new Recording(name);
        measurements = session.ofRun(OptionsInForce.ofRun(options, recording), recording, filter);
        schedule = new Schedule(measurements);
        tables.forEach(recording::linked);
    }

    /** Takes the first snapshot; false if it cannot be written. */
    boolean start() {
        return measurements.measure("start", null) && !recording.hasFailed();
    }

    /** A jar or class was linked. */
    void linked(LinkTable table) {
        recording.linked(table);
    }

    /** The last snapshot and the footer. */
    void stop(String reason) {
        new Ending(measurements, null).finish(reason, ExitHook.WALK_NANOS);
        measurements.abandon();
    }

    int snapshots() {
        return measurements.cost.snapshots;
    }

    String file() {
        return recording.name();
    }

    /** As in the reply to {@code status}. */
    void describe(Json json) {
        json.open().field("name", name).field("since_ms", sinceMs).field("recording", file()).open("settings");
        settings.forEach(json::field);
        json.close().open("filters").field("include", filter.include).field("exclude", filter.exclude).close().close();
    }
}
