package com.acme.nodes;

import io.weighbridge.Weighbridge;
import java.util.ArrayList;
import java.util.List;

/** Names its own components for a heap dump. Argument: the dump's path. */
public final class Main {
    static final List<Session> SESSIONS = new ArrayList<>();
    static final List<byte[]> PLUGINS = new ArrayList<>();
    static final byte[] SHARED = new byte[100_000];

    private Main() {
    }

    public static void main(String[] args) throws Exception {
        fill();
        Weighbridge.nodes(node -> {
            for (int i = 0; i < PLUGINS.size(); i++) {
                node.accept("plugins[" + i + "]", PLUGINS.get(i));
            }
        });
        Weighbridge.nodes(node -> {
            throw new IllegalStateException("a source that fails");
        });
        Weighbridge.nodes(node -> {
            node.accept("stuck", SHARED);
            while (true) {
                try {
                    Thread.sleep(1000);
                } catch (InterruptedException goOn) {
                    // It does.
                }
            }
        });
        if (args.length > 0) {
            System.out.println(Weighbridge.dumpHeap(args[0]) + " " + Weighbridge.dumpHeap(args[0]));
            return;
        }
        // The runtime dumps at a peak, or somebody from outside.
        System.out.println("waiting");
        long end = System.nanoTime() + 20_000_000_000L;
        String dump = System.getProperty("weighbridge.peak_dump");
        while (!new java.io.File(dump).exists() && System.nanoTime() < end) {
            Thread.sleep(20);
        }
    }

    /** Its locals are gone when the heap is dumped. */
    private static void fill() {
        for (int i = 0; i < 3; i++) {
            Session session = new Session(new byte[1_000 * (i + 1)], SHARED);
            Weighbridge.node("web.session[10.0.0." + i + "]", session);
            SESSIONS.add(session);
            PLUGINS.add(new byte[5_000]);
        }
        Weighbridge.node("web.session[10.0.0.2]", SESSIONS.get(1));
        Weighbridge.node("web.session[10.0.0.1]", SESSIONS.get(1));
        Weighbridge.node("gone", new byte[1_000_000]);
        Weighbridge.node(null, SHARED);
        Weighbridge.node("nothing", null);
    }

    static final class Session {
        final byte[] own;
        final byte[] shared;

        Session(byte[] own, byte[] shared) {
            this.own = own;
            this.shared = shared;
        }
    }
}
