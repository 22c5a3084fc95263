package io.weighbridge.runtime.record;

import io.weighbridge.runtime.probe.Tags;
import io.weighbridge.runtime.probe.ThreadNames;
import io.weighbridge.runtime.walk.Origins;
import io.weighbridge.runtime.walk.OwnBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes who constructed the live objects into a {@code snapshot} line. */
final class OriginFields {
    /** Rows of tags in a snapshot; the others together are one. */
    private static final int MOST_TAGS = 50;

    private OriginFields() {
    }

    /**
     * Writes the arrays {@code threads} and {@code tags} of a snapshot. {@code own}: null if they were not measured;
     * {@code isMarked}: a full marking is known.
     */
    static void write(Json json, Origins origins, OwnBytes own, boolean isMarked) {
        json.array("threads");
        long[] live = origins.liveByGroup();
        for (int g = 0; g < live.length; g++) {
            Origins.OriginSums row = origins.group(g);
            if (origins.allocated(g) > 0 || row.tracked > 0) {
                json.open().field("name", ThreadNames.name(g)).field("allocated", origins.allocated(g));
                write(json, row, live[g], isMarked);
            }
        }
        json.end();
        if (Tags.size() > 1) {
            json.array("tags");
            writeTags(json, origins, own, isMarked);
            json.end();
        }
    }

    private static void writeTags(Json json, Origins origins, OwnBytes own, boolean isMarked) {
        List<Map.Entry<List<String>, Origins.OriginSums>> all = new ArrayList<>(origins.byTag().entrySet());
        all.sort((a, b) -> Double.compare(b.getValue().live, a.getValue().live));
        Map<String, Origins.OriginSums> others = new TreeMap<>();
        int written = 0;
        for (Map.Entry<List<String>, Origins.OriginSums> entry : all) {
            String key = entry.getKey().get(0);
            String value = entry.getKey().get(1);
            if (written < MOST_TAGS && !value.equals(Tags.OTHER)) {
                written++;
                writeTag(json, key, value, entry.getValue(), own == null ? null : own.tags.get(entry.getKey()), isMarked);
            } else {
                others.computeIfAbsent(key, k -> new Origins.OriginSums()).add(entry.getValue());
            }
        }
        for (Map.Entry<String, Origins.OriginSums> other : others.entrySet()) {
            writeTag(json, other.getKey(), Tags.OTHER, other.getValue(), null, isMarked);
        }
    }

    private static void writeTag(Json json, String key, String value, Origins.OriginSums row, Long own, boolean isMarked) {
        json.open().field("key", key).field("value", value).field("allocated", Math.round(row.allocated))
                .field("allocated_error", (long) Math.ceil(Math.sqrt(row.allocatedVariance)))
                .field("own_bytes", own != null, own == null ? 0 : own);
        write(json, row, Math.round(row.live), isMarked);
    }

    private static void write(Json json, Origins.OriginSums row, long rounded, boolean isMarked) {
        living(json, isMarked, rounded, (long) Math.ceil(Math.sqrt(row.variance)));
        json.field("tracked", row.tracked).field("shallow_bytes", Math.round(row.bytes)).close();
    }

    /** Objects that lived at the last full marking. If none is known, what no collection has removed, of which a part may be dead. */
    static void living(Json json, boolean isMarked, long number, long error) {
        json.field(isMarked ? "live" : "not_collected", number).field(isMarked ? "live_error" : "not_collected_error", error);
    }
}
