package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.VmFlags;
import io.weighbridge.runtime.record.Cost;
import io.weighbridge.runtime.record.Occasion;
import io.weighbridge.runtime.registry.Census;
import io.weighbridge.runtime.registry.CollectionClock;

/**
 * The full collection before a measurement, and the JVM's own count of what it left. Guarded by the measuring lock.
 */
final class ForcedCollection {
    private static final long WAIT_MS = 1000;
    private final OptionsInForce options;
    private final Cost cost;
    /** For the next measurement, or null: the JVM has counted all objects. */
    Census census;

    ForcedCollection(OptionsInForce options, Cost cost) {
        this.options = options;
        this.cost = cost;
    }

    /** Asks for a full collection, if the options allow it. */
    void before(Occasion occasion) {
        if (options.get().collect) {
            cost.forcedCollections++;
            CollectorBeans beans = Management.collectors();
            long pauses = beans == null ? 0 : beans.pauseMs();
            census = collectAndCount(occasion, beans);
            cost.forcedPauseMs += beans == null ? 0 : beans.pauseMs() - pauses;
        }
    }

    /** The JVM's count for this measurement, or null. A later measurement needs a new one. */
    Census take() {
        Census all = census;
        census = null;
        return all;
    }

    /**
     * Where the collector works in pauses, the class histogram collects before it counts. Other collectors are asked to
     * collect first. Null if the JVM cannot count, counted dead objects, or is told not to collect while the program waits.
     */
    private static Census collectAndCount(Occasion occasion, CollectorBeans beans) {
        if (!VmFlags.collectsOnRequest()) {
            occasion.collected = CollectionClock.collect(WAIT_MS);
            return null;
        }
        boolean inPauses = beans != null && beans.worksInPauses();
        if (!inPauses) {
            occasion.collected = CollectionClock.collect(WAIT_MS);
        }
        Census counted;
        try {
            counted = Census.take();
        } catch (LinkageError noManagement) {
            counted = null;
        }
        if (inPauses) {
            occasion.collected = counted != null && counted.collected || CollectionClock.collect(WAIT_MS);
        }
        return counted != null && counted.collected ? counted : null;
    }
}
