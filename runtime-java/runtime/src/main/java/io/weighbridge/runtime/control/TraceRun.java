package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.record.Json;
import io.weighbridge.runtime.trace.Trace;
import io.weighbridge.runtime.trace.Traces;
import java.util.ArrayList;
import java.util.List;

/** Traces with a name that begin and end together. Used with the lock of all runs. */
final class TraceRun {
    /** Code that is new is slow: the first looks judge nothing. */
    private static final int WARM_UP = 3;

    final String name;
    private final List<Part> parts;
    private final TraceSettings settings;
    private final long beganMs = System.currentTimeMillis();
    private final long began = System.nanoTime();
    private final long cpuAtBegin = Management.processCpuNs();
    private long cpuBefore = cpuAtBegin;
    private long lookedAt = began;
    private int looks;
    private long ended;
    private long cpuAtEnd;
    /** Why it has ended; null while it runs. */
    private String reason;
    /** All that it has found, when it has ended. */
    private String found;
    /** {@code {classes, ns, longest ns, classes left out, ns that those need}} of giving probes. */
    private long[] probed = new long[5];

    /** A trace of the run. */
    static final class Part {
        private final int number;
        private final Trace trace;
        private long eventsBefore;
        private int thinned;

        Part(int number, Trace trace) {
            this.number = number;
            this.trace = trace;
        }

        /** What was spent since the last call, as far as that is known. */
        private double spentNs() {
            long events = trace.events();
            long fresh = events - eventsBefore;
            eventsBefore = events;
            return fresh <= 0 ? 0 : (double) fresh * Math.max(0, trace.nanosPerEvent());
        }
    }

    TraceRun(String name, TraceSettings settings) {
        this.name = name;
        this.settings = settings;
        parts = new ArrayList<>();
        settings.traces.forEach((number, trace) -> parts.add(new Part(number, trace)));
    }

    /** The numbers of its traces. */
    int[] numbers() {
        return parts.stream().mapToInt(part -> part.number).toArray();
    }

    /** How long it may stop the program at once. */
    long pauseNs() {
        return settings.pauseNs;
    }

    /** Its probes are heard from now on. */
    void listen() {
        parts.forEach(part -> Traces.add(part.number, part.trace));
    }

    /** Its probes are in the classes. */
    void probed(long[] pauses) {
        probed = pauses;
        parts.forEach(part -> part.trace.probed());
    }

    boolean isOver() {
        return reason != null;
    }

    /** Nothing is recorded any more. */
    void end(String why) {
        parts.forEach(part -> Traces.remove(part.number));
        ended = System.nanoTime();
        cpuAtEnd = Management.processCpuNs();
        reason = why;
        // Then nothing is followed any more.
        found = write(true);
        parts.forEach(part -> part.trace.forget());
    }

    /** A JSON object with what it has, and its figures. */
    String text(boolean withFigures) {
        return withFigures && isOver() ? found : write(withFigures);
    }

    private String write(boolean withFigures) {
        StringBuilder text = new StringBuilder();
        Json json = new Json(text).open();
        describe(json, withFigures);
        json.endLine();
        return text.toString();
    }

    /** Looks after the traces; why the run has to end now, or null. */
    String tick() {
        parts.forEach(part -> part.trace.tick());
        if (settings.forMs > 0 && System.nanoTime() - began >= settings.forMs * 1_000_000) {
            return "time";
        }
        return settings.maxCpu > 0 && costsTooMuch() ? "cost" : null;
    }

    /** Of the program's CPU time, or of one CPU's if the program has used less. */
    private boolean costsTooMuch() {
        long now = System.nanoTime();
        long cpu = Management.processCpuNs();
        double used = Math.max(now - lookedAt, cpu - cpuBefore);
        lookedAt = now;
        cpuBefore = cpu;
        looks++;
        boolean tooMuch = false;
        for (Part part : parts) {
            double share = part.spentNs() / used;
            double most = settings.maxCpu / 100;
            if (share > most && looks > WARM_UP) {
                part.thinned++;
                tooMuch |= !part.trace.thin(most / share);
            }
        }
        return tooMuch;
    }

    /** What the budget of pauses left out, or null. */
    private String withoutProbes() {
        return probed[3] == 0 ? null
                : PauseBudget.leftOut(probed[3] + " loaded classes got no probes", "change the next ones", probed[4]);
    }

    void describe(Json json, boolean withFigures) {
        long until = isOver() ? ended : System.nanoTime();
        json.field("name", name).field("state", isOver() ? "ended" : "running").field("ended_by", reason)
                .field("since_ms", beganMs).field("lasted_ms", (until - began) / 1_000_000);
        settings.describe(json);
        json.open("probed").field("classes", probed[0]).field("us", probed[1] / 1000).field("longest_us", probed[2] / 1000)
                .field("left_out", withoutProbes()).close();
        long cpu = isOver() ? cpuAtEnd : Management.processCpuNs();
        json.field("cpu_us", cpuAtBegin >= 0 && cpu >= 0, (cpu - cpuAtBegin) / 1000).array("traces");
        for (Part part : parts) {
            long events = part.trace.events();
            json.open().field("what", part.trace.what()).field("number", part.number).field("events", events >= 0, events);
            long nanos = events > 0 ? part.trace.nanosPerEvent() : -1;
            json.field("ns_per_event", nanos >= 0, nanos);
            json.field("thinned", part.thinned > 0, part.thinned);
            if (withFigures) {
                part.trace.describe(json);
            }
            json.close();
        }
        json.end();
    }
}
