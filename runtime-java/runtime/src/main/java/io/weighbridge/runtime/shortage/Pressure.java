package io.weighbridge.runtime.shortage;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.AllocationVolume;
import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.HeapUse;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.jvm.VmFlags;
import io.weighbridge.runtime.registry.CollectionClock;

/**
 * Looks whether memory is short, ten times a second and after each collection. A look costs some microseconds.
 *
 * <p>Each limit must be exceeded twice in a row. For the old generation the second look comes after a full collection: ours,
 * unless the JVM has just made two. Most alarms end there, because what was counted was garbage. A policy that only observes
 * waits for the JVM's own. For the watching thread only.
 */
final class Pressure {
    /** Between two collections of ours that found no shortage; or this many times as long as the last one took. */
    private static final long REST_NS = 500_000_000L;
    private static final int REST_TIMES = 20;
    /** The same if the old generation fills up fast. */
    private static final int URGENT_TIMES = 3;
    /** New work may use one in so many bytes that the heap has left: what runs already needs some too. */
    private static final int ROOM_PART = 4;
    /** Percent of the limit. */
    private static final int NEAR = 85;
    private static final long COLLECT_MS = 1000;
    /** Over this time allocation is counted, and between two looks at the container. */
    private static final long SECOND_NS = 1_000_000_000;
    private final OldGeneration old = OldGeneration.find();
    private final CollectorBeans beans = Management.collectors();
    private final AllocationVolume volume = AllocationVolume.find();
    /** No flag keeps the JVM from collecting on request. */
    private final boolean mayCollect = VmFlags.collectsOnRequest(true);
    /** Collections seen, and the full ones of them. */
    private int seen;
    private int seenFull;
    private int overOld;
    /** When it was first seen over the limit, and how long collections had paused the program by then. */
    private long overSince;
    private long pausesBefore;
    private long nextCollection = System.nanoTime();
    private long nextUrgent = System.nanoTime();
    /** The last time that it was below the limit. */
    private long lastUsed;
    private long lastNs = System.nanoTime();
    private long countedFrom = System.nanoTime();
    private long allocated = volume == null ? 0 : volume.bytes();
    private int overAllocation;
    private int overContainer;
    private volatile boolean exhausted;

    /** An allocation has failed. For any thread. */
    void exhausted() {
        exhausted = true;
    }

    /** Allocations that failed until now are answered: memory is free. */
    void relieved() {
        exhausted = false;
        if (NativeAgent.isPresent()) {
            NativeMethods.isExhausted();
        }
    }

    /** Why memory is short, or null. */
    Cause look(Policy policy) {
        if (exhausted) {
            exhausted = false;
            if (policy.exhausted) {
                return exhaustion();
            }
        }
        Cause cause = policy.oldGeneration == 0 || old == null ? null : old(policy);
        boolean second = System.nanoTime() - countedFrom >= SECOND_NS;
        if (cause != null || !second) {
            return cause;
        }
        long rate = rate();
        if (policy.allocation > 0) {
            overAllocation = rate >= policy.allocation ? overAllocation + 1 : 0;
            if (overAllocation >= 2) {
                return cause(Cause.ALLOCATION, rate, policy.allocation, System.nanoTime());
            }
        }
        return policy.container == 0 || !NativeAgent.isPresent() ? null : container(policy);
    }

    Cause exhaustion() {
        return cause(Cause.EXHAUSTED, HeapUse.used(), Runtime.getRuntime().maxMemory(), System.nanoTime());
    }

    private long rate() {
        long now = System.nanoTime();
        long bytes = volume == null ? 0 : volume.bytes();
        long rate = (long) ((bytes - allocated) * 1e9 / (now - countedFrom));
        allocated = bytes;
        countedFrom = now;
        return rate;
    }

    private Cause container(Policy policy) {
        long[] memory = NativeMethods.containerMemory();
        if (memory == null) {
            return null;
        }
        long limit = memory[1] / 100 * policy.container;
        overContainer = memory[0] >= limit ? overContainer + 1 : 0;
        return overContainer < 2 ? null : cause(Cause.CONTAINER, memory[0], limit, System.nanoTime());
    }

    private Cause old(Policy policy) {
        long limit = limit(policy);
        long used = old.used();
        if (used < limit) {
            lastUsed = used;
            lastNs = System.nanoTime();
            overOld = 0;
            return null;
        }
        int before = seenFull;
        if (!sawCollection()) {
            return null;
        }
        if (overOld == 0) {
            overSince = System.nanoTime();
            pausesBefore = pauseMs();
        }
        long after = old.usedAfterCollection();
        if (after >= limit) {
            // A JVM that finds no room collects twice; both may have come since the last look.
            overOld += Math.max(1, seenFull - before);
            if (overOld >= 2) {
                return cause(Cause.OLD_GENERATION, after, limit, overSince);
            }
        }
        long start = System.nanoTime();
        boolean isAllowed = start - (isFull(used) ? nextUrgent : nextCollection) >= 0;
        if (policy.observes || !mayCollect || !isAllowed || !CollectionClock.collect(COLLECT_MS)) {
            return null;
        }
        sawCollection();
        used = old.used();
        if (used >= limit) {
            return cause(Cause.OLD_GENERATION, used, limit, overSince);
        }
        restSince(start);
        lastUsed = used;
        lastNs = System.nanoTime();
        overOld = 0;
        return null;
    }

    private Cause cause(String kind, long used, long limit, long seenNs) {
        return new Cause(kind, used, limit, seenNs, kind.equals(Cause.OLD_GENERATION) ? pausesBefore : pauseMs());
    }

    /** Whether the old generation will be full within a second, if it goes on as since the last look. */
    private boolean isFull(long used) {
        long now = System.nanoTime();
        double grown = Math.max(0, used - lastUsed) / Math.max(1e-3, (now - lastNs) / 1e9);
        return used + grown >= old.max();
    }

    /** Whether there was a collection since the last question. */
    private boolean sawCollection() {
        if (beans == null) {
            return true;
        }
        int full = beans.fullCount();
        int all = beans.youngCount() + full;
        boolean saw = all != seen;
        seen = all;
        seenFull = full;
        return saw;
    }

    /** Whether so much is used that a shortage may come soon. */
    boolean isNear(Policy policy) {
        return old != null && policy.oldGeneration > 0 && old.used() >= limit(policy) / 100 * NEAR;
    }

    private long limit(Policy policy) {
        return old.max() / 100 * policy.oldGeneration;
    }

    /** Collects; whether memory is no longer short for this cause. */
    boolean isOver(Cause cause, Policy policy) {
        if (mayCollect) {
            CollectionClock.collect(COLLECT_MS);
        }
        if (old != null && policy.oldGeneration > 0) {
            sawCollection();
            return old.used() < limit(policy);
        }
        return !cause.kind.equals(Cause.EXHAUSTED) || HeapUse.left() >= policy.leastBytes();
    }

    /** Without a collection: whether what is used now is below the limit. */
    boolean isRelaxed(Policy policy) {
        return old == null || policy.oldGeneration == 0 || old.used() < limit(policy);
    }

    /** Whether enough time has gone by since the last collection of ours for another one. */
    boolean mayCollect() {
        return System.nanoTime() - nextCollection >= 0;
    }

    /** Collects, so that garbage does not count. */
    void collect() {
        long start = System.nanoTime();
        CollectionClock.collect(COLLECT_MS);
        sawCollection();
        restSince(start);
    }

    private void restSince(long start) {
        long end = System.nanoTime();
        nextCollection = end + Math.max(REST_NS, (end - start) * REST_TIMES);
        nextUrgent = end + (end - start) * URGENT_TIMES;
    }

    /** Bytes that new work may use while memory is short. */
    long room() {
        return HeapUse.left() / ROOM_PART;
    }

    /** Milliseconds that collections have paused the program so far. */
    long pauseMs() {
        return beans == null ? 0 : beans.pauseMs();
    }
}
