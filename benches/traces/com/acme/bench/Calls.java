package com.acme.bench;

/** Calls one small method all the time, and prints every second how many nanoseconds of CPU time a call took. */
public final class Calls {
    private static volatile long sink;

    private Calls() {
    }

    public static void main(String[] arguments) {
        Work work = new Work();
        long sum = 0;
        while (true) {
            long calls = 0;
            long begin = System.nanoTime();
            long now = begin;
            while (now - begin < 1_000_000_000L) {
                for (int i = 0; i < 1000; i++) {
                    sum += work.step(i);
                }
                calls += 1000;
                now = System.nanoTime();
            }
            sink = sum;
            System.out.println("ns " + (now - begin) / (double) calls + " calls " + calls);
        }
    }
}
