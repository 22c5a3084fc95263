package com.acme.hostile;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Programs that do what a measurement inside their JVM must survive. Each prints what it saw and {@code made N}, the
 * number of {@link Thing}s that it knows to have been constructed.
 */
public final class Main {
    static final AtomicLong MADE = new AtomicLong();
    private static final Thing[] KEPT = new Thing[100];

    private Main() {
    }

    public static void main(String[] arguments) throws Exception {
        if (!arguments[0].equals("plain")) {
            // A security manager need not allow these.
            Thread.currentThread().setContextClassLoader(null);
            watchForever();
        }
        switch (arguments[0]) {
            case "initializers":
                Initializers.run();
                break;
            case "recursion":
                Recursion.run();
                break;
            case "overflow":
                Exhaustion.stack();
                break;
            case "memory":
                Exhaustion.memory();
                break;
            case "exit-in-hook":
                Endings.exitInHook();
                break;
            case "exit-with-lock":
                Endings.exitWithLock();
                break;
            case "uncaught":
                Endings.uncaught();
                break;
            case "streams":
                Streams.run();
                break;
            case "interrupted":
                Endings.interrupted();
                break;
            default:
                plain();
                break;
        }
        System.out.println("made " + MADE.get());
    }

    static void plain() {
        plainQuietly();
        System.out.println("kept " + KEPT.length);
    }

    static void plainQuietly() {
        for (int i = 0; i < 1000; i++) {
            KEPT[i % KEPT.length] = Thing.make();
        }
    }

    /** A program that hangs says so instead of hanging its test. */
    private static void watchForever() {
        Thread watch = new Thread(() -> {
            try {
                TimeUnit.SECONDS.sleep(100);
                Runtime.getRuntime().halt(99);
            } catch (InterruptedException never) {
                Thread.currentThread().interrupt();
            }
        });
        watch.setDaemon(true);
        watch.start();
    }
}
