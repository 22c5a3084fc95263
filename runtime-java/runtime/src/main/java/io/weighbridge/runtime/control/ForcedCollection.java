package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.jvm.PauseBudget.Stop;
import io.weighbridge.runtime.jvm.VmFlags;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.record.Cost;
import io.weighbridge.runtime.record.Occasion;
import io.weighbridge.runtime.registry.Census;
import io.weighbridge.runtime.registry.CollectionClock;
import io.weighbridge.runtime.registry.Registry;

/**
 * The full collection before a measurement, and the JVM's own count of what it left: as far as the stops that they are stay
 * within what the owner grants ({@link PauseBudget}). Guarded by the measuring lock.
 */
final class ForcedCollection {
    private static final long WAIT_MS = 1000;
    private final OptionsInForce options;
    private final Cost cost;
    private final Registry registry;
    /** For the next measurement, or null: the JVM has counted all objects. */
    Census census;

    ForcedCollection(OptionsInForce options, Cost cost, Registry registry) {
        this.options = options;
        this.cost = cost;
        this.registry = registry;
    }

    /** Asks for a full collection, if the options and the owner's grant allow it. */
    void before(Occasion occasion) {
        if (options.get().collect) {
            CollectorBeans beans = Management.collectors();
            long pauses = beans == null ? 0 : beans.pauseMs();
            registry.collecting(true);
            try {
                census = collectAndCount(occasion, beans);
            } finally {
                registry.collecting(false);
            }
            cost.forcedPauseMs += beans == null ? 0 : beans.pauseMs() - pauses;
        }
    }

    /** The JVM's own count, for a caller that needs nothing else and has asked whether it may; null if the JVM has none. */
    static Census histogram() {
        CollectorBeans beans = Management.collectors();
        return counted(beans == null || beans.worksInPauses());
    }

    /** The JVM's count for this measurement, or null. A later measurement needs a new one. */
    Census take() {
        Census all = census;
        census = null;
        return all;
    }

    /**
     * Where the collector works in pauses, the class histogram collects before it counts. Other collectors are asked to
     * collect first: they do it beside the program. Null if the JVM cannot count, counted dead objects, is told not to collect
     * while the program waits, or would stop the program for too long.
     */
    private Census collectAndCount(Occasion occasion, CollectorBeans beans) {
        boolean inPauses = beans == null || beans.worksInPauses();
        if (!VmFlags.collectsOnRequest(inPauses)) {
            collect(occasion, false);
            return null;
        }
        if (!inPauses) {
            collect(occasion, false);
        }
        Census counted = null;
        if (isGranted(Stop.HISTOGRAM, occasion)) {
            counted = counted(inPauses);
            cost.forcedCollections += inPauses ? 1 : 0;
        } else if (!inPauses) {
            occasion.leaveOut(PauseBudget.leftOut("the JVM's own count is missing", "count all objects",
                    PauseBudget.predict(Stop.HISTOGRAM)));
        }
        if (inPauses) {
            occasion.collected = counted != null && counted.collected;
            if (!occasion.collected && isGranted(Stop.COLLECTION, occasion)) {
                collect(occasion, true);
            } else if (!occasion.collected) {
                occasion.leaveOut(PauseBudget.leftOut("there was no full collection before this measurement, so objects that"
                        + " died since the last one count as live", "collect", PauseBudget.predict(Stop.COLLECTION)));
            }
        }
        if (counted == null || !counted.collected) {
            return null;
        }
        counted.tell(registry);
        return counted;
    }

    private void collect(Occasion occasion, boolean inPause) {
        long bytes = Stop.COLLECTION.bytes();
        long next = Budget.numbers();
        long start = System.nanoTime();
        cost.forcedCollections++;
        occasion.collected = CollectionClock.collect(WAIT_MS);
        if (occasion.collected) {
            registry.marked(next, start);
        }
        if (inPause && occasion.collected) {
            PauseBudget.learn(Stop.COLLECTION, bytes, System.nanoTime() - start);
        }
    }

    private static Census counted(boolean inPauses) {
        long bytes = Stop.HISTOGRAM.bytes();
        long start = System.nanoTime();
        Census counted;
        try {
            counted = Census.take();
        } catch (LinkageError noManagement) {
            return null;
        }
        if (counted != null) {
            long took = System.nanoTime() - start;
            PauseBudget.learn(Stop.HISTOGRAM, bytes, took);
            if (inPauses) {
                // Less than that: it has collected, and counted.
                PauseBudget.learn(Stop.COLLECTION, bytes, took);
            }
        }
        return counted;
    }

    private static boolean isGranted(Stop stop, Occasion occasion) {
        return PauseBudget.predict(stop) <= occasion.grantedNs;
    }
}
