package io.weighbridge.runtime.record;

import io.weighbridge.runtime.probe.AllocationSites;
import io.weighbridge.runtime.registry.Population;
import io.weighbridge.runtime.walk.Measurement;
import io.weighbridge.runtime.walk.Shape;
import io.weighbridge.runtime.walk.Shapes;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Writes where a measurement's objects were constructed, as a {@code sites} line (docs/recording-format.md): the part of the
 * call tree that leads to live objects, and for its nodes the objects and shallow bytes of each class.
 *
 * <p>Each tracked object counts for as many as it stands for, as in the class table. Figures of sampled classes are estimates
 * as there.
 */
public final class SitesLine {
    private SitesLine() {
    }

    /** Writes nothing if sites are off. */
    public static void write(Json json, long seq, Measurement m, Shapes shapes) {
        // By site and class id: objects and bytes.
        Map<AllocationSites.Node, Map<Integer, double[]>> sums = new HashMap<>();
        double unknown = 0;
        for (Population p : m.populations) {
            if (p.sites == null) {
                return;
            }
            for (int i = 0; i < p.objects.length; i++) {
                if (p.sites[i] == null) {
                    unknown += p.weights[i];
                    continue;
                }
                double[] sum = sums.computeIfAbsent(p.sites[i], s -> new TreeMap<>())
                        .computeIfAbsent(p.entry.id, id -> new double[2]);
                Shape shape = shapes.get(p.objects[i].getClass());
                sum[0] += p.weights[i];
                sum[1] += p.weights[i] * (shape == Shape.SKIPPED ? 0 : shapes.bytes(p.objects[i], shape));
            }
        }
        if (sums.isEmpty() && unknown == 0) {
            return;
        }
        json.line("sites").field("seq", seq).field("unknown_objects", Math.round(unknown));
        nodes(json, sums.keySet());
        json.array("objects");
        sums.forEach((site, classes) -> classes.forEach((id, sum) -> json.open().field("site", site.id).field("class", id)
                .field("objects", Math.round(sum[0])).field("bytes", Math.round(sum[1])).close()));
        json.end().endLine();
    }

    private static void nodes(Json json, Set<AllocationSites.Node> sites) {
        // A caller's id is less than that of what it calls: parents come first.
        Map<Integer, AllocationSites.Node> needed = new TreeMap<>();
        for (AllocationSites.Node site : sites) {
            for (AllocationSites.Node n = site; n != null && needed.put(n.id, n) == null; ) {
                n = n.parent;
            }
        }
        json.array("nodes");
        for (AllocationSites.Node n : needed.values()) {
            json.open().field("id", n.id).field("parent", n.parent != null, n.parent == null ? 0 : n.parent.id)
                    .field("frame", n.frame);
            if (n.cut) {
                json.field("cut", true);
            }
            json.close();
        }
        json.end();
    }
}
