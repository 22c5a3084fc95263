package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.probe.Tags;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Own bytes of classes, components and tags, taken from a walk that has ended: what one of them holds and no other of its
 * kind ({@link OwnLabels} says who holds what), scaled where a class has more or fewer live objects than were met. Beside them
 * what it shares: each object that it and others hold, once a row.
 *
 * <p>The values of one key of tags are of a kind. {@link OwnLabels#NO_COMPONENT} has only what no other component holds; what
 * it holds with another one is the other's alone.
 */
public final class OwnBytes {
    /** By root class. */
    public final long[] classes;
    /** By root class. */
    public final long[] sharedOfClasses;
    /** By the component's ordinal. */
    public final long[] components;
    /** By the component's ordinal. */
    public final long[] sharedOfComponents;
    /** By pairs of key and value; absent if not measured. */
    public final Map<List<String>, Long> tags = new HashMap<>();

    /** {@code tagIds}: the combination of each tag of the labels, see {@link Tags}. */
    OwnBytes(ColourSums deep, OwnLabels labels, int rootClasses, List<String> names, int[] tagIds) {
        classes = new long[rootClasses];
        sharedOfClasses = new long[rootClasses];
        components = new long[names.size()];
        sharedOfComponents = new long[names.size()];
        int none = names.indexOf(OwnLabels.NO_COMPONENT);
        Pairs pairs = new Pairs(tagIds);
        for (int label = 1; label < labels.sets.size(); label++) {
            long bytes = deep.bytes(label);
            if (bytes == 0) {
                continue;
            }
            int[] set = labels.sets.get(label);
            int from = upTo(set, 0, labels.many);
            add(bytes, set, 0, from, 0, classes, sharedOfClasses);
            from = upTo(set, from, labels.firstComponent);
            int to = upTo(set, from, labels.firstTag);
            // The last of all components.
            int held = to - from > 1 && set[to - 1] - labels.firstComponent == none ? to - 1 : to;
            add(bytes, set, from, held, labels.firstComponent, components, sharedOfComponents);
            pairs.add(bytes, set, to, upTo(set, to, labels.firstFlag), labels.firstTag);
        }
        pairs.writeTo(tags);
    }

    /** From a heap dump; {@code rows}: the row of each root class in it. */
    OwnBytes(DumpFigures dump, int[] rows, int ofComponents, int[] tagIds) {
        classes = DumpFigures.at(dump.ofRows(2), rows);
        sharedOfClasses = DumpFigures.at(dump.ofRows(3), rows);
        components = Arrays.copyOf(dump.ofComponents(0), ofComponents);
        sharedOfComponents = Arrays.copyOf(dump.ofComponents(1), ofComponents);
        Pairs pairs = new Pairs(tagIds);
        dump.eachTags((set, bytes) -> pairs.add(bytes, set, 0, set.length, 0));
        pairs.writeTo(tags);
    }

    /**
     * Each live object holds as much as each that was met: the best guess, as those met are a sample without bias and what it
     * leads to. Fewer are met than live where nothing leads to the others. More are met where the program replaces objects while
     * the walk runs: it meets the old and the new ones. Wrong where objects of the class share what they hold.
     */
    void scale(int rootClass, int component, long met, long live) {
        if (met > 0) {
            long rest = (long) ((double) classes[rootClass] / met * (live - met));
            classes[rootClass] += rest;
            // A class may hold what another component has: then its component has less to lose than the class.
            components[component] = Math.max(0, components[component] + rest);
        }
    }

    /** The index of the first member that is not below a number. */
    private static int upTo(int[] set, int from, int end) {
        int at = from;
        while (at < set.length && set[at] < end) {
            at++;
        }
        return at;
    }

    private static void add(long bytes, int[] set, int from, int to, int first, long[] own, long[] shared) {
        long[] sums = to - from == 1 ? own : shared;
        for (int i = from; i < to; i++) {
            sums[set[i] - first] += bytes;
        }
    }

    /** The pairs of key and value of combinations. */
    private static final class Pairs {
        private final List<List<String>> pairs = new ArrayList<>();
        private final int[][] ofTag;
        private final long[] own;

        Pairs(int[] tagIds) {
            Map<List<String>, Integer> ordinals = new HashMap<>();
            ofTag = new int[tagIds.length][];
            for (int tag = 0; tag < tagIds.length; tag++) {
                Tags combination = Tags.of(tagIds[tag]);
                List<String> keys = combination.keys();
                ofTag[tag] = new int[keys.size()];
                for (int i = 0; i < ofTag[tag].length; i++) {
                    List<String> pair = List.of(keys.get(i), combination.valueOf(keys.get(i)));
                    if (ordinals.putIfAbsent(pair, pairs.size()) == null) {
                        pairs.add(pair);
                    }
                    ofTag[tag][i] = ordinals.get(pair);
                }
            }
            own = new long[pairs.size()];
        }

        /** An object counts for a pair if nothing holds it under another value of the key. */
        void add(long bytes, int[] set, int from, int to, int firstTag) {
            Map<String, Integer> pairOfKey = new HashMap<>();
            for (int i = from; i < to; i++) {
                for (int pair : ofTag[set[i] - firstTag]) {
                    pairOfKey.merge(pairs.get(pair).get(0), pair, (one, other) -> one.equals(other) ? one : Integer.valueOf(-1));
                }
            }
            for (int pair : pairOfKey.values()) {
                if (pair >= 0) {
                    own[pair] += bytes;
                }
            }
        }

        void writeTo(Map<List<String>, Long> sums) {
            for (int pair = 0; pair < own.length; pair++) {
                sums.put(pairs.get(pair), own[pair]);
            }
        }
    }
}
