package io.weighbridge.runtime.walk;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Why the tracked objects of a class are alive: for each object the chain of fields from the nearest registered object that
 * the walk found to hold it. Equal chains count together.
 *
 * <p>A step is a field of a class, or an array. Steps within one class (the nodes of a list) are one step, named by its
 * last field. If no registered object but itself holds an object, it is held from outside: by a thread's stack, a static
 * field, or objects that no registered one reaches. Each object has one chain here; there may be others.
 */
public final class HolderChains {
    /** So many of the largest classes are examined, and so many of a class's objects, evenly spread. */
    static final int CLASSES = 10;
    static final int OBJECTS = 1000;
    /** Chains kept for a class; the objects of others are only counted. */
    static final int CHAINS = 5;
    /** Steps of a chain; of a longer one the last steps are kept. */
    private static final int STEPS = 32;
    private static final int DISTINCT = 256;
    private static final String CUT = "...";

    /** Objects examined. */
    public int examined;
    /** Of them, held by nothing registered. */
    public int outside;
    /** Of them, held through a chain that {@link #chains} does not have. */
    public int others;
    /** The most frequent first. */
    public final List<Chain> chains = new ArrayList<>();

    /** Equal chains to objects of a class. */
    public static final class Chain {
        /** From the holder's field to the last one: {@code shop.Cache.map}, {@code java.util.HashMap$Node[]}. */
        public final List<String> steps;
        /** How many. */
        public int objects;

        Chain(List<String> steps) {
            this.steps = steps;
        }
    }

    private HolderChains() {
    }

    /** For the roots with indices from {@code from} to {@code to}, after the walk has ended. */
    static HolderChains of(Walk walk, Shapes shapes, int from, int to) {
        HolderChains result = new HolderChains();
        Map<List<String>, Chain> distinct = new HashMap<>();
        int stride = Math.max(1, (to - from + OBJECTS - 1) / OBJECTS);
        for (int root = from; root < to; root += stride) {
            result.examined++;
            if (walk.met.holder(root) == ObjectTable.NONE) {
                result.outside++;
                continue;
            }
            List<String> steps = steps(walk, shapes, root);
            Chain chain = distinct.get(steps);
            if (chain == null) {
                if (distinct.size() == DISTINCT) {
                    result.others++;
                    continue;
                }
                chain = new Chain(steps);
                distinct.put(steps, chain);
            }
            chain.objects++;
        }
        result.chains.addAll(distinct.values());
        result.chains.sort((a, b) -> a.objects != b.objects ? Integer.compare(b.objects, a.objects)
                : a.steps.toString().compareTo(b.steps.toString()));
        for (int i = result.chains.size() - 1; i >= CHAINS; i--) {
            result.others += result.chains.remove(i).objects;
        }
        return result;
    }

    private static List<String> steps(Walk walk, Shapes shapes, int root) {
        List<String> steps = new ArrayList<>();
        Object held = walk.met.object(root);
        int holder = walk.met.holder(root);
        while (holder != ObjectTable.NONE) {
            Object o = walk.met.object(holder);
            if (o == null) {
                holder = walk.met.holder(holder);
                continue;
            }
            Shape shape = shapes.get(o.getClass());
            if (steps.size() == STEPS) {
                steps.add(CUT);
                break;
            }
            steps.add(step(o, shape, held));
            if (walk.isRoot(holder) || shape.isRegistered()) {
                break;
            }
            held = o;
            holder = walk.met.holder(holder);
        }
        Collections.reverse(steps);
        return steps;
    }

    private static String step(Object holder, Shape shape, Object held) {
        String type = holder.getClass().getTypeName();
        String field = shape.references ? null : shape.fieldOf(holder, held);
        return shape.references ? type : type + "." + (field == null ? "?" : field);
    }
}
