package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.record.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/** Answers what clients of the control channel ask (docs/control.md), on a thread of its own. */
public final class Requests implements Runnable {
    private final Session session;

    private Requests(Session session) {
        this.session = session;
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
        try {
            for (String[] request = NativeAgent.nextRequest(); request != null; request = NativeAgent.nextRequest()) {
                answer(request);
            }
        } catch (UnsatisfiedLinkError gone) {
            // The agent has gone while this thread was not waiting.
        } catch (Throwable t) {
            Notices.failure("requests are no longer answered", t);
        }
    }

    private void answer(String[] request) {
        String key = request[0];
        try {
            switch (request[1]) {
                case "status":
                    status(key);
                    break;
                case "measure":
                    measure(key, request[2]);
                    break;
                case "set":
                    set(key, request);
                    break;
                default:
                    follow(key);
                    break;
            }
        } catch (OutOfMemoryError full) {
            NativeAgent.reply(key, false, "the heap is full");
        } catch (RuntimeException | LinkageError e) {
            NativeAgent.reply(key, false, "it failed: " + e);
        }
    }

    private void status(String key) {
        StringBuilder text = new StringBuilder();
        Options now = session.options.get();
        new Json(text).open().field("state", session.isOn() ? "measuring" : "idle")
                .field("recording", now.records ? session.recording.name() : null)
                .field("snapshots", session.snapshots()).field("classes", ClassTable.size()).endLine();
        NativeAgent.reply(key, true, text.toString());
    }

    private void measure(String key, String label) {
        if (!session.isOn() || !session.measure(label)) {
            NativeAgent.reply(key, false, "no measurement was taken: another one does not end, the JVM ends, or nothing is recorded");
            return;
        }
        StringBuilder text = new StringBuilder();
        new Json(text).open().field("snapshot", session.snapshots()).field("recording", session.recording.name()).endLine();
        NativeAgent.reply(key, true, text.toString());
    }

    private void set(String key, String[] request) {
        Map<String, String> changes = new LinkedHashMap<>();
        for (int i = 2; i + 1 < request.length; i += 2) {
            changes.put(request[i], request[i + 1]);
        }
        String refused = session.options.change(changes);
        if (refused != null) {
            NativeAgent.reply(key, false, refused);
            return;
        }
        StringBuilder text = new StringBuilder();
        Json json = new Json(text).open().open("settings");
        for (String name : OptionsInForce.CHANGEABLE) {
            json.field(name, session.options.get().values.text(name, null));
        }
        json.close().endLine();
        NativeAgent.reply(key, true, text.toString());
    }

    /** With the lock held, so that no line comes between the beginning and what follows. */
    private void follow(String key) {
        if (!session.options.get().records || !session.measurements.lock()) {
            NativeAgent.reply(key, false, "nothing is recorded");
            return;
        }
        try {
            if (session.recording.isClosed()) {
                NativeAgent.reply(key, false, "the recording is closed");
            } else {
                NativeAgent.follow(key, session.recording.beginning());
            }
        } finally {
            session.measurements.unlock();
        }
    }
}
