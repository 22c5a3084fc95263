package com.acme.hoards;

import io.weighbridge.Scope;
import io.weighbridge.Weighbridge;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/** Holds memory, calls methods and asks for admission as it is told: a command a line, to each an answer of one line. */
public final class Main {
    private static final Map<String, Hoard> HOARDS = new HashMap<>();
    private static final Map<String, FutureTask<String>> LATER = new HashMap<>();

    private Main() {
    }

    /** A thread that holds memory until it is released or ends otherwise. */
    static final class Hoard {
        final CountDownLatch filled = new CountDownLatch(1);
        volatile boolean released;
        volatile String end = "released";
        Thread thread;
    }

    public static void main(String[] arguments) throws Exception {
        // All that a command needs is used once: it must not be loaded while the heap is full.
        answer("hold warm warm job=warm 1 asks".split(" "));
        answer("later warm admit warm up".split(" "));
        answer("result warm".split(" "));
        answer("release warm".split(" "));
        answer("large 1 x".split(" "));
        Jobs.RUNS.set(0);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String told;
            try {
                told = answer(line.split(" "));
            } catch (Throwable thrown) {
                told = thrown.getClass().getName();
            }
            System.out.println(told);
        }
        // Threads may hold memory still.
        System.exit(0);
    }

    private static String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "hold":
                return hold(words[1], words[2], words[3], Integer.parseInt(words[4]), words[5].equals("asks"));
            case "release":
                HOARDS.get(words[1]).released = true;
                return end(words[1]);
            case "end":
                return end(words[1]);
            case "collect":
                System.gc();
                return "collected";
            case "threads":
                return threads();
            case "measure":
                return String.valueOf(Weighbridge.measure("asked"));
            case "later":
                FutureTask<String> task = new FutureTask<>(() -> timed(words, 2));
                LATER.put(words[1], task);
                new Thread(task, "later").start();
                return "later";
            case "result":
                return LATER.remove(words[1]).get();
            default:
                return timed(words, 0);
        }
    }

    /** The answer of a call, or the name of what it threw, and how many milliseconds it took. */
    private static String timed(String[] words, int from) {
        long start = System.nanoTime();
        String told;
        try {
            told = call(words, from);
        } catch (Throwable thrown) {
            told = thrown.getClass().getName();
        }
        return told + " after " + (System.nanoTime() - start) / 1_000_000;
    }

    private static String call(String[] words, int from) {
        switch (words[from]) {
            case "admit":
                return String.valueOf(Weighbridge.admit(words[from + 1], words[from + 2]));
            case "scope":
                try (Scope scope = Weighbridge.scope(words[from + 1], words[from + 2])) {
                    return String.valueOf(Jobs.small());
                }
            case "small":
                return String.valueOf(Jobs.small());
            case "rare":
                return String.valueOf(Jobs.rare());
            case "large":
                Jobs.RUNS.set(0);
                return Jobs.large(Integer.parseInt(words[from + 1]), 1L << 40, words[from + 2], 0.5);
            case "unnamed":
                Jobs.RUNS.set(0);
                return Jobs.unnamed(Integer.parseInt(words[from + 1]), 1L << 40, words[from + 2], 0.5);
            case "tooLarge":
                Jobs.RUNS.set(0);
                return String.valueOf(Jobs.tooLarge(1));
            case "runs":
                return String.valueOf(Jobs.RUNS.get());
            default:
                throw new IllegalArgumentException(words[from]);
        }
    }

    /** {@code -} for no scope. */
    private static String hold(String name, String threadName, String tag, int mib, boolean asks) throws InterruptedException {
        Hoard hoard = new Hoard();
        hoard.thread = new Thread(() -> {
            int equals = tag.indexOf('=');
            try (Scope scope = equals < 0 ? null : Weighbridge.scope(tag.substring(0, equals), tag.substring(equals + 1))) {
                Jobs.hold(hoard, mib, asks);
            } catch (Throwable thrown) {
                hoard.end = thrown.getClass().getName();
            } finally {
                hoard.filled.countDown();
            }
        }, threadName);
        HOARDS.put(name, hoard);
        hoard.thread.start();
        hoard.filled.await();
        return "holds";
    }

    private static String end(String name) throws InterruptedException {
        Thread thread = HOARDS.get(name).thread;
        thread.join(60_000);
        return thread.isAlive() ? "it runs" : HOARDS.get(name).end;
    }

    private static String threads() {
        List<String> names = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("weighbridge")) {
                names.add(thread.getName());
            }
        }
        names.sort(null);
        return "threads " + String.join(" ", names);
    }
}
