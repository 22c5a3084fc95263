package io.weighbridge.runtime.shortage;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;

/** The pool of the heap that long-lived objects are in; the whole heap of a collector that has no generations. */
final class OldGeneration {
    private final MemoryPoolMXBean pool;

    private OldGeneration(MemoryPoolMXBean pool) {
        this.pool = pool;
    }

    /** Null if this JVM has no such pool. */
    static OldGeneration find() {
        MemoryPoolMXBean only = null;
        int heaps = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            String name = pool.getName();
            if (pool.getType() != MemoryType.HEAP) {
                continue;
            }
            if (name.contains("Old") || name.contains("Tenured")) {
                return new OldGeneration(pool);
            }
            heaps++;
            only = pool;
        }
        return heaps == 1 ? new OldGeneration(only) : null;
    }

    String name() {
        return pool.getName();
    }

    /** Bytes in use now, garbage included. */
    long used() {
        return pool.getUsage().getUsed();
    }

    /** Bytes in use after the last collection that collected it; 0 before the first. */
    long usedAfterCollection() {
        MemoryUsage after = pool.getCollectionUsage();
        return after == null ? 0 : after.getUsed();
    }

    /** The most that it can have. */
    long max() {
        long max = pool.getUsage().getMax();
        return max > 0 ? max : Runtime.getRuntime().maxMemory();
    }
}
