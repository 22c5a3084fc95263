package io.weighbridge.runtime.control;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.record.Json;
import io.weighbridge.runtime.trace.Traces;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The runs of traces (docs/traces.md): starts, shows and ends them. The thread that answers requests uses it, and at the end of
 * the JVM the exit hook.
 */
final class TraceRuns {
    private static final int MOST_RUNS = 16;
    /** A recording has no longer lines. */
    private static final int LONGEST_LINE = 15 << 20;
    private final Measurements measurements;
    private final Map<String, TraceRun> runs = new LinkedHashMap<>();

    TraceRuns(Measurements measurements) {
        this.measurements = measurements;
    }

    /** {@code name}, then settings. Replies to the request. */
    synchronized void start(String key, String[] request) {
        String name = request[2];
        List<String> words = Arrays.asList(request).subList(3, request.length);
        TraceRun run = new TraceRun(name, new TraceSettings(words));
        String refused = refusal(name);
        if (refused != null) {
            NativeMethods.forgetTraces(run.numbers());
            if (key.isEmpty()) {
                Notices.warn("no trace " + name + ": " + refused);
            } else {
                NativeMethods.reply(key, false, refused);
            }
            return;
        }
        run.listen();
        runs.put(name, run);
        run.probed(NativeMethods.probeTraces(run.numbers(), true, run.pauseNs()));
        reply(key, run.text(false));
    }

    private String refusal(String name) {
        if (runs.containsKey(name)) {
            return "there is a run of traces of this name: " + name;
        }
        if (runs.size() >= MOST_RUNS && !forgetEnded()) {
            return "there are " + MOST_RUNS + " runs of traces, which is the most: stop one";
        }
        return NativeMethods.linkTraces(Traces.receivers());
    }

    /** Forgets the run that has ended first: whoever began it may be gone. Its figures are in the recording, if there is one. */
    private boolean forgetEnded() {
        for (TraceRun run : runs.values()) {
            if (run.isOver()) {
                runs.remove(run.name);
                NativeMethods.forgetTraces(run.numbers());
                return true;
            }
        }
        return false;
    }

    /** Ends a run, replies with what it has, and forgets it. */
    synchronized void stop(String key, String name) {
        TraceRun run = find(key, name);
        if (run != null) {
            end(run, "stop");
            reply(key, run.text(true));
            runs.remove(run.name);
            NativeMethods.forgetTraces(run.numbers());
        }
    }

    /** Replies with what a run has so far. */
    synchronized void show(String key, String name) {
        TraceRun run = find(key, name);
        if (run != null) {
            reply(key, run.text(true));
        }
    }

    /** Replies with all runs, without their figures. */
    synchronized void list(String key) {
        StringBuilder text = new StringBuilder();
        Json json = new Json(text).open().array("runs");
        for (TraceRun run : runs.values()) {
            json.open();
            run.describe(json, false);
            json.close();
        }
        json.end().endLine();
        reply(key, text.toString());
    }

    /** About once a second. */
    synchronized void tick() {
        for (TraceRun run : runs.values()) {
            String reason = run.isOver() ? null : run.tick();
            if (reason != null) {
                end(run, reason);
            }
        }
    }

    /** The JVM or the agent goes, which takes its probes away itself. */
    synchronized void endAll(String reason) {
        int entered = Inside.enterForLong();
        try {
            for (TraceRun run : runs.values()) {
                if (!run.isOver()) {
                    run.end(reason);
                    record(run);
                }
            }
            runs.clear();
        } catch (Throwable t) {
            Notices.failure("what was traced is lost", t);
        } finally {
            Inside.leave(entered);
        }
    }

    private void end(TraceRun run, String reason) {
        if (!run.isOver()) {
            run.end(reason);
            NativeMethods.probeTraces(run.numbers(), false, 0);
            record(run);
        }
    }

    /** What has ended goes into the recording of the session, if there is one. */
    private void record(TraceRun run) {
        if (!measurements.options.get().records || !measurements.lock()) {
            return;
        }
        try {
            String named = measurements.recording.isClosed() ? null : NativeMethods.nameTraces(run.text(true));
            if (named == null) {
                return;
            }
            if (named.length() > LONGEST_LINE) {
                Notices.note("the traces " + run.name + " found more than a line of a recording has room for");
                return;
            }
            StringBuilder line = new StringBuilder("{\"kind\":\"traces\",\"uptime_ms\":")
                    .append(measurements.recording.uptimeMs()).append(',').append(named, 1, named.length()).append('\n');
            measurements.recording.append(line);
        } finally {
            measurements.unlock();
        }
    }

    /** Replies that there is none, and gives null. */
    private TraceRun find(String key, String name) {
        TraceRun run = name != null ? runs.get(name) : runs.size() == 1 ? runs.values().iterator().next() : null;
        if (run == null) {
            NativeMethods.reply(key, false, name != null ? "no run of traces has the name " + name
                    : runs.isEmpty() ? "there is no run of traces" : "there are several runs of traces: name one");
        }
        return run;
    }

    /** Nobody has asked if the key is empty: the configuration has. */
    private static void reply(String key, String text) {
        if (!key.isEmpty()) {
            NativeMethods.reply(key, true, text);
        }
    }
}
