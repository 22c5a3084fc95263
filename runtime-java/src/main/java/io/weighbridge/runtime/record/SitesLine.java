package io.weighbridge.runtime.record;

import io.weighbridge.runtime.probe.AllocationSites;
import io.weighbridge.runtime.registry.Population;
import io.weighbridge.runtime.walk.Measurement;
import io.weighbridge.runtime.walk.Shape;
import io.weighbridge.runtime.walk.Shapes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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

    /** Objects of one class with one site. */
    private static final class Sum {
        final int classId;
        double objects;
        double bytes;

        Sum(int classId) {
            this.classId = classId;
        }
    }

    /** Writes nothing if sites are off. */
    public static void write(Json json, long seq, Measurement m, Shapes shapes) {
        Map<AllocationSites.Node, List<Sum>> sums = new HashMap<>();
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
                Sum sum = sumOf(sums, p.sites[i], p.entry.id);
                Shape shape = shapes.get(p.objects[i].getClass());
                sum.objects += p.weights[i];
                sum.bytes += p.weights[i] * (shape == Shape.SKIPPED ? 0 : shapes.bytes(p.objects[i], shape));
            }
        }
        if (sums.isEmpty() && unknown == 0) {
            return;
        }
        json.line("sites").field("seq", seq).field("unknown_objects", Math.round(unknown));
        nodes(json, sums);
        json.array("objects");
        for (Map.Entry<AllocationSites.Node, List<Sum>> entry : sums.entrySet()) {
            for (Sum sum : entry.getValue()) {
                json.open().field("site", entry.getKey().id).field("class", sum.classId)
                        .field("objects", Math.round(sum.objects)).field("bytes", Math.round(sum.bytes)).close();
            }
        }
        json.end().endLine();
    }

    private static Sum sumOf(Map<AllocationSites.Node, List<Sum>> sums, AllocationSites.Node site, int classId) {
        List<Sum> ofSite = sums.computeIfAbsent(site, s -> new ArrayList<>(1));
        for (Sum sum : ofSite) {
            if (sum.classId == classId) {
                return sum;
            }
        }
        Sum sum = new Sum(classId);
        ofSite.add(sum);
        return sum;
    }

    private static void nodes(Json json, Map<AllocationSites.Node, List<Sum>> sums) {
        Map<Integer, AllocationSites.Node> needed = new HashMap<>();
        for (AllocationSites.Node site : sums.keySet()) {
            for (AllocationSites.Node n = site; n != null && needed.put(n.id, n) == null; ) {
                n = n.parent;
            }
        }
        // A caller's id is less than that of what it calls: parents come first.
        List<Integer> ids = new ArrayList<>(needed.keySet());
        ids.sort(null);
        json.array("nodes");
        for (int id : ids) {
            AllocationSites.Node n = needed.get(id);
            json.open().field("id", id).field("parent", n.parent != null, n.parent == null ? 0 : n.parent.id)
                    .field("frame", n.frame);
            if (n.cut) {
                json.field("cut", true);
            }
            json.close();
        }
        json.end();
    }
}
