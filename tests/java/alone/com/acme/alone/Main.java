package com.acme.alone;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait, each with an array in its frame that nothing else refers to; the test knows all lengths.
 *
 * <p>Thread {@code holder-i} holds {@code 1013 * i} bytes alone, {@code 200000 + 1000 * g} with the ten of its group {@code g},
 * and 777,777 with all. {@code holder-00} has neither an array of its own nor a group. With the argument {@code virtual}
 * there are as many virtual threads. Lines of the standard input: {@code more} adds an array of 5,000,000 bytes to a
 * static list and a thread {@code holder-51}, {@code end} ends.
 */
public final class Main {
    private static final int THREADS = 50;
    private static final Semaphore TAKEN = new Semaphore(0);
    private static final List<byte[]> MORE = new ArrayList<>();
    private static volatile boolean end;
    // A thread takes these into its frame. No object that outlives the start refers to them.
    private static int length;
    private static byte[] group;
    private static byte[] all;

    private Main() {
    }

    public static void main(String[] args) throws Exception {
        start(args.length > 0 && args[0].equals("virtual"));
        System.out.println("ready");
        StringBuilder line = new StringBuilder();
        for (int c = System.in.read(); c >= 0; c = System.in.read()) {
            if (c != '\n') {
                line.append((char) c);
                continue;
            }
            if (line.toString().equals("more")) {
                MORE.add(new byte[5_000_000]);
                start(THREADS + 1, false);
                System.out.println("done");
            } else {
                break;
            }
            line.setLength(0);
        }
        end = true;
        System.exit(7);
    }

    private static void start(boolean virtual) throws Exception {
        all = new byte[777_777];
        for (int i = 0; i <= THREADS; i++) {
            if (i % 10 == 1) {
                group = new byte[200_000 + 1000 * (i / 10)];
            }
            start(i, virtual);
        }
        group = null;
        all = null;
    }

    private static void start(int i, boolean virtual) throws Exception {
        length = 1013 * i;
        String name = String.format("holder-%02d", i);
        if (virtual) {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            type.getMethod("name", String.class).invoke(builder, name);
            type.getMethod("start", Runnable.class).invoke(builder, (Runnable) Main::take);
        } else {
            Thread thread = new Thread(Main::take, name);
            thread.setDaemon(true);
            thread.start();
        }
        TAKEN.acquire();
    }

    private static void take() {
        hold(length == 0 ? null : new byte[length], group, all);
    }

    private static void hold(byte[] own, byte[] shared, byte[] everybodys) {
        TAKEN.release();
        while (!end) {
            LockSupport.park();
        }
        System.out.print(length(own) + length(shared) + length(everybodys) < 0 ? "never" : "");
    }

    private static int length(byte[] array) {
        return array == null ? 0 : array.length;
    }
}
