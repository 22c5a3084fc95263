package io.weighbridge.runtime.record;

import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.registry.AgeBuckets;
import io.weighbridge.runtime.registry.Population;
import io.weighbridge.runtime.walk.Attribution;
import io.weighbridge.runtime.walk.HolderChains;
import io.weighbridge.runtime.walk.Measurement;
import io.weighbridge.runtime.walk.OwnWeight;
import java.util.HashMap;
import java.util.Map;

/** Writes a measurement as a {@code snapshot} line (docs/recording-format.md). */
public final class SnapshotLine {
    private SnapshotLine() {
    }

    /** Writes the whole line. */
    public static void write(Json json, long seq, Occasion occasion, Recording recording, Measurement m, AgeBuckets buckets) {
        long agoMs = m.agoMs();
        json.line("snapshot").field("seq", seq).field("at_ms", System.currentTimeMillis() - agoMs)
                .field("uptime_ms", Math.max(0, recording.uptimeMs() - agoMs))
                .field("reason", occasion.reason).field("label", occasion.label).field("collected", occasion.collected);
        if (m.isMarked) {
            long beganMs = recording.uptimeMs(m.markedNs);
            long moreMs = (m.markedUntilNs - m.markedNs) / 1_000_000;
            json.open("marking").field("uptime_ms", beganMs).field("until_ms", moreMs > 0, beganMs + moreMs).close();
        }
        if (occasion.stretch != null) {
            interval(json, occasion.stretch);
        }
        heap(json, m);
        collections(json);
        json.field("age_from", buckets.from);
        classes(json, m);
        components(json, m);
        if (m.shallow != null) {
            OriginFields.write(json, m.origins, m.own, m.isMarked);
        }
        json.open("total");
        if (m.held != null) {
            json.field("measured_objects", m.held.measuredObjects).field("measured_bytes", m.held.measuredBytes)
                    .field("off_heap_bytes", m.held.measuredOffHeap);
        }
        json.close();
        json.field("shared_once_bytes", m.held != null, m.held == null ? 0 : m.held.sharedOnce);
        json.open("walk").field("objects", m.walkedObjects).field("ns", m.walkNs).field("closed_objects", m.closedObjects)
                .field("roots_every", m.rootsEvery > 1, m.rootsEvery).field("stopped", m.stopped).close();
        if (m.dump != null) {
            json.open("dump").field("objects", m.dump.liveObjects).field("bytes", m.dump.liveBytes)
                    .field("stopped_ns", m.dumpNs).close();
        }
        json.endLine();
    }

    static void interval(Json json, Stretch stretch) {
        json.open("interval").field("asked_ms", stretch.intervalMs).field("stretched_ms", stretch.stretchedMs)
                .field("cost_ms", stretch.costMs).field("cpu_percent", stretch.percent).close();
    }

    private static void heap(Json json, Measurement m) {
        long max = Runtime.getRuntime().maxMemory();
        json.open("heap").field("used_bytes", m.heapUsed).field("committed_bytes", m.heapCommitted)
                .field("max_bytes", max != Long.MAX_VALUE, max)
                .field("runtime_bytes", m.ownWeight != OwnWeight.UNKNOWN, m.ownWeight).close();
    }

    private static void collections(Json json) {
        CollectorBeans beans = Management.collectors();
        if (beans != null) {
            json.open("collections").field("young", beans.youngCount()).field("full", beans.fullCount())
                    .field("pause_ms", beans.pauseMs()).close();
        }
    }

    private static void classes(Json json, Measurement m) {
        Map<Integer, Integer> rootClasses = new HashMap<>();
        for (int rootClass = 0; rootClass < m.populations.size(); rootClass++) {
            rootClasses.put(m.populations.get(rootClass).entry.id, rootClass);
        }
        json.array("classes");
        for (int id = 0; id < m.allocated.length; id++) {
            if (m.allocated[id] == 0) {
                continue;
            }
            json.open().field("id", id).field("allocated", m.allocated[id] - m.before[id] - m.unannounced[id])
                    .field("before", m.before[id] > 0, m.before[id])
                    .field("unannounced", m.unannounced[id] > 0, m.unannounced[id]);
            json.field("instance_bytes", m.instanceBytes[id] > 0, m.instanceBytes[id])
                    .field("since_collection", m.sinceCollection[id]).field("last_cycle", m.lastCycle[id]);
            Integer rootClass = rootClasses.get(id);
            if (rootClass != null) {
                tracked(json, m, rootClass);
            }
            json.close();
        }
        json.end();
    }

    private static void tracked(Json json, Measurement m, int rootClass) {
        Population p = m.populations.get(rootClass);
        OriginFields.living(json, p.isMarked, p.number, p.error);
        if (p.isMarked) {
            json.field("not_collected", p.notCollected).field("not_collected_error", p.notCollectedError);
        }
        boolean exact = p.exact && m.rootsEvery == 1;
        json.field("exact", exact).field("tracked", p.objects.length).field("counted", p.bytes >= 0)
                .field("sampled_for", exact ? null : p.exact ? "memory" : p.why);
        if (m.shallow != null) {
            json.field("shallow_bytes", m.shallow[rootClass]);
        }
        Attribution held = m.held;
        if (held != null) {
            json.field("met", m.met[rootClass]).field("own_bytes", m.own.classes[rootClass]).field("own_shared_bytes", m.own.sharedOfClasses[rootClass])
                    .field("deep_bytes", held.deepBytes[rootClass]).field("deep_objects", held.deepObjects[rootClass])
                    .field("exclusive_bytes", held.exclusiveBytes[rootClass])
                    .field("shared_bytes", held.deepBytes[rootClass] - held.exclusiveBytes[rootClass])
                    .field("off_heap_bytes", held.offHeapBytes[rootClass]);
        }
        json.field("oldest", p.ages.oldest).field("oldest_full", p.ages.oldestFull)
                .field("generations", p.ages.generations());
        if (p.objects.length > 0) {
            json.field("ages", p.ages.all(p.number)).field("full_ages", p.ages.full(p.number));
        }
        if (m.holders != null && m.holders[rootClass] != null) {
            holders(json, m.holders[rootClass]);
        } else if (m.dumpedHolders != null && m.dumpedHolders[rootClass] != null) {
            json.written("holders", m.dumpedHolders[rootClass]);
        }
    }

    private static void holders(Json json, HolderChains holders) {
        json.open("holders").field("examined", holders.examined).field("outside", holders.outside)
                .field("others", holders.others).array("chains");
        for (HolderChains.Chain chain : holders.chains) {
            json.open().field("objects", chain.objects).field("steps", chain.steps).close();
        }
        json.end().close();
    }

    private static void components(Json json, Measurement m) {
        json.array("components");
        for (int c = 0; c < m.components.size(); c++) {
            long number = 0;
            long notCollected = 0;
            long shallow = 0;
            double variance = 0;
            double varianceOfAll = 0;
            boolean exact = true;
            boolean any = false;
            for (int rootClass = 0; rootClass < m.componentOf.length; rootClass++) {
                if (m.componentOf[rootClass] != c) {
                    continue;
                }
                Population p = m.populations.get(rootClass);
                any = true;
                number += p.number;
                notCollected += p.notCollected;
                variance += (double) p.error * p.error;
                varianceOfAll += (double) p.notCollectedError * p.notCollectedError;
                exact &= p.exact && m.rootsEvery == 1;
                shallow += m.shallow == null ? 0 : m.shallow[rootClass];
            }
            if (!any) {
                continue;
            }
            json.open().field("name", m.components.get(c));
            OriginFields.living(json, m.isMarked, number, (long) Math.ceil(Math.sqrt(variance)));
            if (m.isMarked) {
                json.field("not_collected", notCollected)
                        .field("not_collected_error", (long) Math.ceil(Math.sqrt(varianceOfAll)));
            }
            json.field("exact", exact).field("shallow_bytes", m.shallow != null, shallow);
            if (m.held != null) {
                long deep = m.held.componentDeep[c];
                long exclusive = m.held.componentExclusive[c];
                json.field("own_bytes", m.own.components[c]).field("own_shared_bytes", m.own.sharedOfComponents[c])
                        .field("deep_bytes", deep).field("exclusive_bytes", exclusive).field("shared_bytes", deep - exclusive)
                        .field("shared_even_bytes", m.held.componentEven[c])
                        .field("off_heap_bytes", m.held.componentOffHeap[c]);
            }
            json.close();
        }
        json.end();
    }
}
