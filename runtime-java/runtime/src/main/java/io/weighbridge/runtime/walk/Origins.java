package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.probe.Origin;
import io.weighbridge.runtime.probe.Tags;
import io.weighbridge.runtime.probe.ThreadNames;
import io.weighbridge.runtime.registry.Population;
import io.weighbridge.runtime.registry.Rounding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Who constructed the live objects of one measurement: by group of threads and by tag.
 *
 * <p>Live figures are sums over the tracked objects, each times what it stands for. They are exact where the objects'
 * classes are, otherwise estimated without bias. Allocated objects are exact by thread, estimated by tag.
 */
public final class Origins {
    private final long[] allocatedByGroup;
    private final List<OriginSums> groups = new ArrayList<>();
    private final List<OriginSums> tags = new ArrayList<>();

    /** The live objects of one group of threads, or of one tag. */
    public static final class OriginSums {
        /** Objects, estimated. */
        public double live;
        /** The square of one standard error of {@link #live}. */
        public double variance;
        /** Shallow bytes, estimated. */
        public double bytes;
        /** Objects with a reference. */
        public long tracked;
        /** Objects constructed, estimated; of tags only. */
        public double allocated;
        /** The square of one standard error of {@link #allocated}. */
        public double allocatedVariance;

        /** A class's objects of this row. Their error is the class's, and that of their share of the class. */
        void addPart(OriginSums part, Population p) {
            double others = p.number == 0 ? 0 : Math.max(0, 1 - part.live / p.number);
            double ofClass = p.number == 0 ? 0 : part.live / p.number * p.error;
            part.variance = part.variance * others + ofClass * ofClass;
            add(part);
        }

        /** One tracked object, which stands for {@code weight} of {@code shallow} bytes each. */
        public void add(double weight, double shallow) {
            live += weight;
            variance += weight * Math.max(0, weight - 1);
            bytes += weight * shallow;
            tracked++;
        }

        /** The objects of another row. */
        public void add(OriginSums other) {
            live += other.live;
            variance += other.variance;
            bytes += other.bytes;
            tracked += other.tracked;
            allocated += other.allocated;
            allocatedVariance += other.allocatedVariance;
        }
    }

    /** Live objects of all classes taken in that have tracked ones. */
    private long live;

    /** Without any class yet; objects constructed, by group of threads. */
    public Origins(long[] allocatedByGroup) {
        this.allocatedByGroup = allocatedByGroup;
    }

    /** Takes in a class. Gives the shallow bytes of its live objects: the JVM's own count, or an estimate. */
    public long add(Population p, Shapes shapes) {
        long[] sizes = new long[p.objects.length];
        double sum = 0;
        for (int i = 0; i < sizes.length; i++) {
            Shape shape = shapes.get(p.objects[i].getClass());
            sizes[i] = shape == Shape.SKIPPED ? 0 : shapes.bytes(p.objects[i], shape);
            sum += p.weights[i] * sizes[i];
        }
        double scale = p.bytes >= 0 && sum > 0 ? p.bytes / sum : 1;
        Map<OriginSums, OriginSums> own = new IdentityHashMap<>();
        for (int i = 0; i < sizes.length; i++) {
            double bytes = sizes[i] * scale;
            row(own, groups, Origin.group(p.origins[i])).add(p.weights[i], bytes);
            int tag = Origin.tags(p.origins[i]);
            if (tag != Tags.NONE) {
                row(own, tags, tag).add(p.weights[i], bytes);
            }
        }
        own.forEach((row, part) -> row.addPart(part, p));
        live += sizes.length > 0 ? p.number : 0;
        return p.bytes >= 0 ? p.bytes : Math.round(sum);
    }

    /** What one class adds to a row. */
    private static OriginSums row(Map<OriginSums, OriginSums> own, List<OriginSums> rows, int index) {
        return own.computeIfAbsent(row(rows, index), r -> new OriginSums());
    }

    /** Combinations of tags that live objects have, by rising id; none if there are more than {@code most}. */
    int[] tagIds(int most) {
        int[] ids = new int[tags.size()];
        int n = 0;
        for (int id = 0; id < tags.size(); id++) {
            if (id != Tags.NONE && tags.get(id).tracked > 0) {
                ids[n++] = id;
            }
        }
        return n > most ? new int[0] : Arrays.copyOf(ids, n);
    }

    /** For each origin the index of its tags in {@code tagIds}, or a negative number. */
    static int[] tags(int[] origins, int[] tagIds) {
        int[] ordinals = new int[origins.length];
        for (int i = 0; i < origins.length; i++) {
            ordinals[i] = Arrays.binarySearch(tagIds, Origin.tags(origins[i]));
        }
        return ordinals;
    }

    private static OriginSums row(List<OriginSums> rows, int index) {
        while (rows.size() <= index) {
            rows.add(new OriginSums());
        }
        return rows.get(index);
    }

    /** Objects constructed by a group of threads. */
    public long allocated(int group) {
        return allocatedByGroup[group];
    }

    /** Live objects of each group of threads, whole numbers that add up to those of all classes with tracked objects. */
    public long[] liveByGroup() {
        double[] parts = new double[ThreadNames.size()];
        for (int g = 0; g < parts.length; g++) {
            parts[g] = group(g).live;
        }
        return Rounding.parts(parts, live);
    }

    /** The live objects of a group of threads. */
    public OriginSums group(int group) {
        return row(groups, group);
    }

    /** The live objects of each pair of key and value: a combination counts for each of its pairs. */
    public Map<List<String>, OriginSums> byTag() {
        Map<List<String>, OriginSums> pairs = new TreeMap<>((a, b) -> {
            int keys = a.get(0).compareTo(b.get(0));
            return keys != 0 ? keys : a.get(1).compareTo(b.get(1));
        });
        for (int id = 1; id < Tags.size(); id++) {
            Tags combination = Tags.of(id);
            OriginSums row = row(tags, id);
            row.allocated = combination.allocated.get();
            row.allocatedVariance = combination.variance.get();
            for (String key : combination.keys()) {
                List<String> pair = List.of(key, combination.valueOf(key));
                pairs.computeIfAbsent(pair, p -> new OriginSums()).add(row);
            }
        }
        return pairs;
    }
}
