package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.AllocationVolume;
import io.weighbridge.runtime.jvm.HeapUse;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.jvm.PoolPeaks;
import io.weighbridge.runtime.record.Json;
import io.weighbridge.runtime.record.Occasion;
import io.weighbridge.runtime.registry.Census;
import io.weighbridge.runtime.registry.CollectionClock;
import io.weighbridge.runtime.walk.Measurement;

/**
 * Mark-and-count in a running JVM: looks at the allocated bytes ten times a second and after each collection, and
 * counts live bytes when the engine says that a new peak is possible.
 *
 * <p>Exists only if the option {@code peak} asks for it. A look costs some microseconds, a count what its source costs:
 * {@code walk} and {@code usage} a full collection (with {@code gc=never} none, and garbage counts as live), {@code walk}
 * also a walk, {@code histogram} a full collection and a pause in which the JVM counts every live object. Counts take at
 * most {@code cpu_percent} of the time. What is allocated meanwhile raises the ceiling. No ceiling is written where neither
 * the allocated bytes nor the heap's pools prove one. For the runtime's thread only.
 */
final class PeakWatch {
    /** Between two looks. */
    static final long LOOK_MS = 100;
    final PeakOptions options;
    private final CollectionClock clock;
    private final AllocationVolume volume;
    private final MarkAndCount engine;
    private final PeakDump dump;
    /** Null where they prove nothing, or are not needed. */
    private final PoolPeaks pools;
    private final boolean mayCollect;
    private long told;
    private int collections;
    private boolean collectedSince;
    private long next = System.nanoTime();

    private PeakWatch(CollectionClock clock, PeakOptions options, AllocationVolume volume, boolean mayCollect) {
        this.clock = clock;
        this.options = options;
        this.volume = volume;
        this.mayCollect = mayCollect;
        dump = new PeakDump(options);
        engine = new MarkAndCount(options.mode, options.tolerance, options.floor, true, !options.source.equals("walk"), nowMs());
        PoolPeaks peaks = PoolPeaks.find();
        pools = volume.complete() ? null : peaks;
        told = volume.bytes();
        collections = clock.young() + clock.full();
        // What is in the heap already counts as allocated now: nothing else is known of it.
        long used = HeapUse.used();
        engine.allocated(used);
        // More may have lived before, but no more than was ever allocated or than the pools held.
        long pooled = peaks == null ? -1 : peaks.ceiling();
        engine.livedBefore(pooled < 0 ? told + used : Math.min(told + used, pooled));
    }

    /** Null if no option asks for it or the JVM does not tell what it allocates. */
    static PeakWatch of(CollectionClock clock, Options options) {
        if (options.peak == null || !options.records) {
            return null;
        }
        AllocationVolume volume = AllocationVolume.find();
        if (volume == null) {
            Notices.warn("peaks are not watched: this JVM does not tell how much it allocates");
            return null;
        }
        return new PeakWatch(clock, options.peak, volume, options.collect);
    }

    /** Looks at what was allocated and collected since the last look; true if live bytes are to be counted now. */
    boolean mustCount() {
        engine.allocated(gap());
        int seen = clock.young() + clock.full();
        if (seen != collections) {
            collections = seen;
            collectedSince = true;
            // Read after the volume: no less than what lives.
            engine.collected(HeapUse.used(), 0);
        }
        boolean possible = mayCollect || !options.source.equals("usage") || collectedSince;
        return possible && engine.mustCount(nowMs()) && System.nanoTime() - next >= 0;
    }

    private long gap() {
        long now = volume.bytes();
        long gap = Math.max(0, now - told);
        told = Math.max(told, now);
        return gap;
    }

    /**
     * Counts, and writes a {@code live_count} line; before it the class table and the call tree of a new peak. Called under
     * the measuring lock.
     */
    void count(Measurements measurements, int cpuPercent) {
        long start = System.nanoTime();
        Occasion occasion = new Occasion("peak", null);
        Measurement measurement = null;
        long live;
        switch (options.source) {
            case "histogram":
                live = histogram(measurements, occasion);
                break;
            case "usage":
                measurements.collection.before(occasion);
                live = HeapUse.used();
                break;
            default:
                measurements.collection.before(occasion);
                measurement = measurements.take(0, null, occasion.collected);
                live = measurement.held == null ? -1 : measurement.held.measuredBytes;
                break;
        }
        collectedSince = false;
        StringBuilder lines = new StringBuilder();
        boolean peak = live >= 0 && engine.counted(live, gap(), nowMs());
        if (peak) {
            measurements.write(lines, occasion, measurement == null ? measurements.take(0, null, occasion.collected) : measurement);
        }
        if (live >= 0) {
            line(new Json(lines), measurements.recording.uptimeMs(), occasion.collected, peak);
        }
        measurements.recording.append(lines);
        long took = System.nanoTime() - start;
        next = start + took * 100 / cpuPercent;
    }

    /** Bytes of all live objects; -1 if to count them stops the program for too long. */
    private static long histogram(Measurements measurements, Occasion occasion) {
        if (PauseBudget.predict(PauseBudget.Stop.HISTOGRAM) > occasion.grantedNs) {
            measurements.tellLeftOut(PauseBudget.leftOut("live bytes are not counted", "count all objects",
                    PauseBudget.predict(PauseBudget.Stop.HISTOGRAM)));
            return -1;
        }
        Census census = ForcedCollection.histogram();
        if (census == null) {
            throw new IllegalStateException("this JVM has no class histogram");
        }
        occasion.collected = census.collected;
        measurements.cost.forcedCollections += occasion.collected ? 1 : 0;
        if (census.collected) {
            census.tell(measurements.registry);
            measurements.collection.census = census;
        }
        return census.totalBytes;
    }

    private void line(Json json, long uptimeMs, boolean collected, boolean peak) {
        boolean counted = volume.complete();
        long ceiling = counted ? engine.ceiling : pools == null ? -1 : pools.ceiling();
        json.line("live_count").field("at_ms", System.currentTimeMillis()).field("uptime_ms", uptimeMs)
                .field("mode", options.mode.text).field("source", options.source).field("volume", volume.name)
                .field(options.mode == MarkAndCount.Mode.INTERVAL ? "interval_ms" : "tolerance_bytes", options.tolerance)
                .field("floor_bytes", options.floor).field("collected", collected)
                .field("live_bytes", engine.live).field("allocated_bytes", engine.total)
                .field("peak_bytes", engine.greatest).field("ceiling_bytes", ceiling >= 0, ceiling)
                .field("ceiling_by", ceiling < 0 ? null : counted ? "allocated" : "pools").field("peak", peak)
                .field("dump", peak ? dump.write(engine.live) : null).endLine();
    }

    private static long nowMs() {
        return System.nanoTime() / 1_000_000;
    }
}
