package io.weighbridge.runtime.control;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.contract.RequestWords;
import io.weighbridge.runtime.contract.RunWords;
import io.weighbridge.runtime.contract.RuntimeOption;
import io.weighbridge.runtime.contract.RuntimeOptions;
import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.record.Json;
import io.weighbridge.runtime.record.Occasion;
import io.weighbridge.runtime.shortage.Shortage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Answers what clients of the control channel ask (docs/control.md), on a thread of its own. */
public final class Requests implements Runnable {
    private static final int MOST_RUNS = 16;
    private static final String NOBODY = "{\"v\":1,\"id\":null,\"error\":\"no agent takes requests in this JVM\"}";
    private final Session session;

    private Requests(Session session) {
        this.session = session;
    }

    /** Asks as a client does, and gives the reply; waits for it. */
    public static String ask(String line) {
        String reply = NativeAgent.isPresent() ? NativeMethods.ask(line) : null;
        return reply != null ? reply : NOBODY;
    }

    /** Starts the thread. It ends when the agent goes. */
    public static void serve(Session session) {
        Thread own = new Thread(null, new Requests(session), "weighbridge-control", 0, false);
        own.setDaemon(true);
        own.setContextClassLoader(ClassLoader.getSystemClassLoader());
        own.start();
    }

    @Override
    public void run() {
        while (true) {
            try {
                String[] request = NativeMethods.nextRequest();
                if (request == null) {
                    return;
                }
                answer(request);
            } catch (UnsatisfiedLinkError gone) {
                // The agent has gone while this thread was not waiting.
                return;
            } catch (OutOfMemoryError full) {
                // This thread alone can end the session. The agent has the request still, and answers what it can.
            } catch (Throwable t) {
                failed(t);
            }
        }
    }

    /** A text that is used for the first time is made then (JVMS 5.1), which may itself run out of memory. */
    private static void failed(Throwable t) {
        try {
            Notices.failure("a request was not answered", t);
        } catch (Throwable again) {
            // Nobody can be told.
        }
    }

    private void answer(String[] request) {
        String key = request[0];
        int entered = Inside.enterForLong();
        try {
            switch (request[1]) {
                case RequestWords.STATUS:
                    status(key);
                    break;
                case RequestWords.MEASURE:
                    measure(key, request[2], request.length > 3 ? request[3] : null);
                    break;
                case RequestWords.START:
                    start(key, request);
                    break;
                case RequestWords.STOP:
                    stop(key, request.length > 2 ? request[2] : null);
                    break;
                case RequestWords.SHORTAGE:
                    shortage(key);
                    break;
                case RequestWords.HEAP_COMPONENTS:
                    heapComponents(key, Long.parseLong(request[2]), request[3]);
                    break;
                case RequestWords.SET:
                    set(key, request);
                    break;
                case RequestWords.TRACE_START:
                    session.traces.start(key, request);
                    break;
                case RequestWords.TRACE_STOP:
                    session.traces.stop(key, request.length > 2 ? request[2] : null);
                    break;
                case RequestWords.TRACE_SHOW:
                    session.traces.show(key, request.length > 2 ? request[2] : null);
                    break;
                case RequestWords.TRACE_LIST:
                    session.traces.list(key);
                    break;
                case RequestWords.TICK:
                    session.traces.tick();
                    break;
                case RequestWords.SUBSCRIBE:
                    follow(key);
                    break;
                default:
                    NativeMethods.reply(key, false, "this runtime knows no request " + request[1]);
                    break;
            }
        } catch (OutOfMemoryError full) {
            NativeMethods.replyWithoutMemory(key);
        } catch (RuntimeException | LinkageError e) {
            NativeMethods.reply(key, false, "it failed: " + e);
        } finally {
            Inside.leave(entered);
        }
    }

    private void status(String key) {
        StringBuilder text = new StringBuilder();
        Options now = session.options.get();
        Json json = new Json(text);
        json.open().field("state", session.isOn() ? "measuring" : "idle")
                .field("recording", now.records ? session.recording.name() : null)
                .field("snapshots", session.snapshots()).field("pause_ms", now.pauseMs)
                .field("left_out", session.leftOut()).array("runs");
        for (Run run : session.runs) {
            run.describe(json);
        }
        json.end().endLine();
        NativeMethods.reply(key, true, text.toString());
    }

    /** {@code pauseMs}: empty for what the owner grants all measurements. */
    private void measure(String key, String pauseMs, String label) {
        Occasion occasion = new Occasion("request", label,
                pauseMs.isEmpty() ? PauseBudget.granted() : Long.parseLong(pauseMs) * 1_000_000);
        if (!session.isOn() || !session.measurements.measure(occasion)) {
            NativeMethods.reply(key, false, "no measurement was taken: another one does not end, the JVM ends, or nothing is recorded");
            return;
        }
        StringBuilder text = new StringBuilder();
        Json json = new Json(text).open().field("snapshot", session.snapshots()).field("recording", session.recording.name());
        json.field("collected", occasion.collected);
        if (!occasion.leftOut.isEmpty()) {
            json.field("left_out", occasion.leftOut);
        }
        json.endLine();
        NativeMethods.reply(key, true, text.toString());
    }

    /** Its name, then {@link RunWords}, {@code =} and a value. */
    private void start(String key, String[] request) {
        String name = request[2];
        Map<String, String> settings = new LinkedHashMap<>();
        List<String> include = new ArrayList<>();
        List<String> exclude = new ArrayList<>();
        String file = "weighbridge-%p-" + name + ".wbr";
        for (int i = 3; i < request.length; i++) {
            int equals = request[i].indexOf('=');
            String value = request[i].substring(equals + 1);
            switch (request[i].substring(0, equals)) {
                case RunWords.FILE:
                    file = value;
                    break;
                case RunWords.INCLUDE:
                    include.add(value);
                    break;
                case RunWords.EXCLUDE:
                    exclude.add(value);
                    break;
                case RunWords.SET:
                    settings.put(value.substring(0, value.indexOf('=')), value.substring(value.indexOf('=') + 1));
                    break;
                default:
                    NativeMethods.reply(key, false, "this runtime knows no setting " + request[i]);
                    return;
            }
        }
        String refused = refusal(name, settings);
        if (refused != null) {
            NativeMethods.reply(key, false, refused);
            return;
        }
        Map<String, String> changes = new LinkedHashMap<>(settings);
        changes.put("destfile", file);
        changes.put("output", "file");
        Options options = session.options.get().changed(changes);
        if (!options.refused().isEmpty()) {
            NativeMethods.reply(key, false, options.refused().get(0));
            return;
        }
        Run run = new Run(name, options, settings, new RunFilter(include, exclude), session.measurements,
                session.recording.tables());
        session.runs.add(run);
        if (!run.start()) {
            session.runs.remove(run);
            NativeMethods.reply(key, false, "the first snapshot could not be written to " + run.file());
            return;
        }
        StringBuilder text = new StringBuilder();
        new Json(text).open().field("name", name).field("recording", run.file()).endLine();
        NativeMethods.reply(key, true, text.toString());
    }

    private String refusal(String name, Map<String, String> settings) {
        if (!name.matches("[A-Za-z0-9._-]{1,64}")) {
            return "a run's name has 1 to 64 letters, digits, dots, dashes and underscores";
        }
        if (named(name) != null) {
            return "there is a run of this name: " + name;
        }
        if (session.runs.size() >= MOST_RUNS) {
            return "there are " + MOST_RUNS + " runs, which is the most";
        }
        for (String setting : settings.keySet()) {
            if (RuntimeOption.find(RuntimeOptions.OF_RUN, setting) == null) {
                return setting + " is no setting of a run; those are " + RuntimeOption.names(RuntimeOptions.OF_RUN);
            }
        }
        return null;
    }

    private void stop(String key, String name) {
        Run run = name != null ? named(name) : session.runs.size() == 1 ? session.runs.get(0) : null;
        if (run == null || !session.runs.remove(run)) {
            NativeMethods.reply(key, false, name != null ? "no run has the name " + name
                    : session.runs.isEmpty() ? "there is no run" : "there are several runs: name one");
            return;
        }
        run.stop("stop");
        StringBuilder text = new StringBuilder();
        new Json(text).open().field("name", run.name).field("recording", run.file()).field("snapshots", run.snapshots())
                .endLine();
        NativeMethods.reply(key, true, text.toString());
    }

    private Run named(String name) {
        for (Run run : session.runs) {
            if (run.name.equals(name)) {
                return run;
            }
        }
        return null;
    }

    private void shortage(String key) {
        Shortage shortage = session.shortage();
        NativeMethods.reply(key, true, shortage == null ? "{\"mode\":\"off\"}" : shortage.state());
    }

    /** {@code keys}: a JSON object, as the agent has written it. */
    private void heapComponents(String key, long atMs, String keys) {
        long uptimeMs = Math.max(0, session.recording.uptimeMs() - Math.max(0, System.currentTimeMillis() - atMs));
        StringBuilder line = new StringBuilder("{\"kind\":\"heap_components\",\"uptime_ms\":").append(uptimeMs).append(',')
                .append(keys, 1, keys.length()).append('\n');
        if (!withRecording(key, () -> session.recording.append(line))) {
            return;
        }
        StringBuilder text = new StringBuilder();
        new Json(text).open().field("recording", session.recording.name()).endLine();
        NativeMethods.reply(key, true, text.toString());
    }

    private void set(String key, String[] request) {
        Map<String, String> changes = new LinkedHashMap<>();
        for (int i = 2; i + 1 < request.length; i += 2) {
            changes.put(request[i], request[i + 1]);
        }
        String refused = session.options.change(changes);
        if (refused != null) {
            NativeMethods.reply(key, false, refused);
            return;
        }
        session.watchShortage();
        StringBuilder text = new StringBuilder();
        Json json = new Json(text).open().open("settings");
        for (RuntimeOption option : RuntimeOptions.CHANGEABLE) {
            json.field(option.key, session.options.get().values.given(option));
        }
        json.close().endLine();
        NativeMethods.reply(key, true, text.toString());
    }

    private void follow(String key) {
        withRecording(key, () -> NativeMethods.follow(key, session.recording.beginning()));
    }

    /** Does something with the lock held, so that no line comes in between; if there is no recording, replies so. */
    private boolean withRecording(String key, Runnable deed) {
        if (!session.options.get().records || !session.measurements.lock()) {
            NativeMethods.reply(key, false, "nothing is recorded");
            return false;
        }
        try {
            boolean isOpen = !session.recording.isClosed();
            if (isOpen) {
                deed.run();
            } else {
                NativeMethods.reply(key, false, "the recording is closed");
            }
            return isOpen;
        } finally {
            session.measurements.unlock();
        }
    }
}
