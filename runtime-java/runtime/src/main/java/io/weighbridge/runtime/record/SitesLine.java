package io.weighbridge.runtime.record;

import io.weighbridge.runtime.probe.AllocationSites;
import io.weighbridge.runtime.registry.Population;
import io.weighbridge.runtime.registry.Rounding;
import io.weighbridge.runtime.walk.Measurement;
import io.weighbridge.runtime.walk.Shape;
import io.weighbridge.runtime.walk.Shapes;
import java.util.HashMap;
import java.util.LinkedHashMap;
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
        Map<AllocationSites.Node, Map<Integer, long[]>> sums = new HashMap<>();
        long unknown = 0;
        for (int rootClass = 0; rootClass < m.populations.size(); rootClass++) {
            Population p = m.populations.get(rootClass);
            if (p.sites == null) {
                return;
            }
            Map<AllocationSites.Node, long[]> sites = bySite(p, m.shallow == null ? -1 : m.shallow[rootClass], shapes);
            long[] ofUnknown = sites.remove(null);
            unknown += ofUnknown == null ? 0 : ofUnknown[0];
            sites.forEach((site, sum) -> sums.computeIfAbsent(site, s -> new TreeMap<>()).put(p.entry.id, sum));
        }
        if (sums.isEmpty() && unknown == 0) {
            return;
        }
        json.line("sites").field("seq", seq).field("unknown_objects", unknown);
        nodes(json, sums.keySet());
        json.array("objects");
        sums.forEach((site, classes) -> classes.forEach((id, sum) -> json.open().field("site", site.id).field("class", id)
                .field("objects", sum[0]).field("bytes", sum[1]).close()));
        json.end().endLine();
    }

    /**
     * Objects and bytes of a class by site, null for an unknown one: whole numbers that add up to those of the class, of which
     * {@code shallow} is negative if it is not known.
     */
    private static Map<AllocationSites.Node, long[]> bySite(Population p, long shallow, Shapes shapes) {
        Map<AllocationSites.Node, double[]> sums = new LinkedHashMap<>();
        double all = 0;
        for (int i = 0; i < p.objects.length; i++) {
            double[] sum = sums.computeIfAbsent(p.sites[i], site -> new double[2]);
            Shape shape = shapes.get(p.objects[i].getClass());
            double bytes = p.weights[i] * (shape == Shape.SKIPPED ? 0 : shapes.bytes(p.objects[i], shape));
            sum[0] += p.weights[i];
            sum[1] += bytes;
            all += bytes;
        }
        double[][] parts = new double[2][sums.size()];
        int at = 0;
        for (double[] sum : sums.values()) {
            parts[0][at] = sum[0];
            parts[1][at++] = sum[1];
        }
        long[] objects = Rounding.parts(parts[0], p.number);
        long[] bytes = Rounding.parts(parts[1], shallow >= 0 ? shallow : Math.round(all));
        Map<AllocationSites.Node, long[]> rounded = new LinkedHashMap<>();
        at = 0;
        for (AllocationSites.Node site : sums.keySet()) {
            rounded.put(site, new long[] {objects[at], bytes[at++]});
        }
        return rounded;
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
