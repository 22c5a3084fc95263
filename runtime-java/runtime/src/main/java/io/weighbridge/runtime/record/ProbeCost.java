package io.weighbridge.runtime.record;

import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.FreshList;
import io.weighbridge.runtime.probe.LiveProbe;
import io.weighbridge.runtime.probe.Stripe;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.probe.Tracked;
import io.weighbridge.runtime.registry.Registry;

/**
 * An estimate of what the probes have cost the program's threads: how often each path was taken, times its duration here.
 *
 * <p>The paths are timed in this JVM, for some milliseconds, when the footer is written. Missing is what probes cost while
 * they were interpreted, the cache lines they took from the program, the compilers' work on longer constructors, and the
 * collector's work on the references.
 */
final class ProbeCost {
    private static final int ROUNDS = 5;
    private static final int CONSTRUCTIONS = 50_000;
    private static final int REGISTRATIONS = 2_000;
    private static final FreshList NOBODYS = new FreshList();

    private ProbeCost() {
    }

    /** Nanoseconds of CPU for these constructions and registrations; -1 if this thread has no counters to time. */
    static long estimateNs(Registry registry, long constructions, long registrations) {
        double perConstruction = Double.MAX_VALUE;
        double perRegistration = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            perConstruction = Math.min(perConstruction, timeCounting(registry) / (double) CONSTRUCTIONS);
            perRegistration = Math.min(perRegistration, timeRegistering() / (double) REGISTRATIONS);
        }
        return perConstruction < 0 ? -1 : (long) (perConstruction * constructions + perRegistration * registrations);
    }

    /** Times the common path on this thread's counters of the first class. They are restored before a sweep reads them. */
    private static long timeCounting(Registry registry) {
        Stripe stripe = Stripes.enabled() ? Stripes.of(Thread.currentThread()) : null;
        if (stripe == null || ClassTable.size() == 0) {
            return -1;
        }
        registry.lock();
        try {
            if (!Stripes.room(stripe, 0)) {
                return -1;
            }
            int cell = Stripe.cell(0);
            long arrivals = stripe.cells[cell];
            long turn = stripe.cells[cell + 1];
            stripe.cells[cell + 1] = Long.MAX_VALUE;
            Object object = new Object();
            long start = System.nanoTime();
            for (int i = 0; i < CONSTRUCTIONS; i++) {
                LiveProbe.INSTANCE.accept(object, 0);
            }
            long took = System.nanoTime() - start;
            stripe.cells[cell] = arrivals;
            stripe.cells[cell + 1] = turn;
            return took;
        } finally {
            registry.unlock();
        }
    }

    private static long timeRegistering() {
        Object object = new Object();
        long start = System.nanoTime();
        for (int i = 0; i < REGISTRATIONS; i++) {
            NOBODYS.push(new Tracked(object, 0, 0, 0, null));
        }
        long took = System.nanoTime() - start;
        NOBODYS.takeAll();
        return took;
    }
}
