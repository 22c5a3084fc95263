package com.acme.hostile;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;

/** Standard streams that throw, construct, or block for ever: nobody but the program may write to them. */
final class Streams {
    private Streams() {
    }

    static final class Throwing extends OutputStream {
        @Override
        public void write(int b) {
            Thing.make();
            throw new IllegalStateException("nobody writes here");
        }
    }

    static final class Blocking extends OutputStream {
        @Override
        public void write(int b) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void run() throws ReflectiveOperationException {
        PrintStream out = System.out;
        System.setErr(new PrintStream(new Throwing(), true));
        System.setOut(new PrintStream(new Blocking(), true));
        Main.plainQuietly();
        Requests.measure("with streams of its own");
        System.setErr(new PrintStream(new Blocking(), true));
        Requests.measure("and others");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> out.flush()));
        out.println("streams");
        out.println("made " + Main.MADE.get());
        out.flush();
        System.exit(0);
    }
}
