package com.acme.flight;

import java.io.File;
import java.io.RandomAccessFile;
import java.util.ArrayList;
import java.util.List;

/** Does what Flight Recorder has events for: computes, allocates, reads and writes, waits, throws, collects. */
public final class Main {
    private static final Object MONITOR = new Object();
    private static volatile long sum;
    private static volatile Object kept;

    private Main() {
    }

    private static final class Wrong extends Exception {
        Wrong(int number) {
            super("number " + number);
        }
    }

    private static void compute(long milliseconds) {
        long end = System.nanoTime() + milliseconds * 1_000_000;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 1000; i++) {
                sum += Integer.toString(i).hashCode();
            }
        }
    }

    private static void fail(int times) {
        for (int i = 0; i < times; i++) {
            try {
                throw new Wrong(i);
            } catch (Wrong expected) {
                sum++;
            }
        }
    }

    private static void allocate(int mebibytes) {
        List<byte[]> some = new ArrayList<>();
        for (int i = 0; i < mebibytes; i++) {
            some.add(new byte[1 << 20]);
            if (some.size() > 16) {
                some.clear();
            }
        }
        kept = some;
    }

    private static void contend() throws InterruptedException {
        Thread holder = new Thread(() -> {
            synchronized (MONITOR) {
                pause(150);
            }
        }, "holder");
        holder.start();
        pause(50);
        synchronized (MONITOR) {
            sum++;
        }
        holder.join();
    }

    private static void pause(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private static void readAndWrite() throws Exception {
        File file = File.createTempFile("flight", ".bin");
        try (RandomAccessFile random = new RandomAccessFile(file, "rw")) {
            random.write(new byte[8 << 20]);
            random.getFD().sync();
            random.seek(0);
            random.readFully(new byte[8 << 20]);
        } finally {
            file.delete();
        }
    }

    private static void all() throws Exception {
        readAndWrite();
        fail(100);
        contend();
        allocate(300);
        System.gc();
    }

    /** Does everything once; with the argument {@code each}, once for each line of the input, after which it prints {@code done}. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0) {
            all();
            compute(1500);
            return;
        }
        System.out.println("ready");
        for (int c = System.in.read(); c >= 0; c = System.in.read()) {
            if (c == '\n') {
                all();
                compute(500);
                System.out.println("done");
            }
        }
    }
}
