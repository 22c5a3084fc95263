package io.weighbridge.runtime.walk;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who holds an object itself: the second label of an object in a walk, for own bytes.
 *
 * <p>The deep label passes everything. The own label stops where an object belongs to another class, component or tag. The
 * object's class decides that, so an object stops the label whether or not it is in the sample:
 * <ul>
 * <li>an object of an instrumented class belongs to its class, and to the tags that it was registered under: labels of
 *     other classes and tags do not enter it, whether it has tags or not;
 * <li>an object of a component's class, instrumented or not, belongs to the component: labels of other components do not
 *     enter it. They do enter objects of instrumented classes that belong to no component;
 * <li>nothing enters a hub ({@link Shapes});
 * <li>any other object has the labels of all that refer to it.
 * </ul>
 * One set holds the labels of classes, components and tags, so that one walk serves all three.
 */
final class OwnLabels {
    /** The component of instrumented classes that belong to none. */
    static final String NO_COMPONENT = "(none)";
    /** The label of what nobody holds. */
    static final int FREE = SmallSets.EMPTY;
    /** Combinations of tags with own bytes; more would make sets long. */
    static final int MOST_TAGS = 512;
    /** Classes in one label; what more of them hold counts for no class. */
    static final int MOST_CLASSES = 64;
    /** What does not enter an object: bits of {@link #closed}. */
    private static final byte TO_CLASSES = 1;
    private static final byte TO_COMPONENTS = 2;

    /** Members, rising: root classes; one for more than {@link #MOST_CLASSES}; components; tags; what does not enter. */
    final SmallSets sets;
    private final int[] rootClassOf;
    private final int[] componentOf;
    private final List<String> components;
    private final Map<String, Integer> ordinals = new HashMap<>();
    final int many;
    final int firstComponent;
    final int firstTag;
    final int firstFlag;
    /** By label, plus one, 0 if unknown: [0] what is passed on, [1] its components, [2] its classes and tags. */
    private final int[][] parts = new int[3][64];

    /**
     * {@code componentOf}: each root class's component, an ordinal of {@code components}, where {@link #NO_COMPONENT} is
     * none; {@code tags}: how many tags there are.
     */
    OwnLabels(int[] rootClassOf, int[] componentOf, List<String> components, int tags) {
        this.rootClassOf = rootClassOf;
        this.componentOf = componentOf;
        this.components = components;
        for (int c = 0; c < components.size(); c++) {
            ordinals.put(components.get(c), c);
        }
        many = componentOf.length;
        sets = new SmallSets(MOST_CLASSES, many);
        firstComponent = many + 1;
        firstTag = firstComponent + components.size();
        firstFlag = firstTag + tags;
    }

    /** For root classes without components, and objects of classes that are not instrumented. */
    static OwnLabels none(int rootClasses) {
        return new OwnLabels(new int[0], new int[rootClasses], List.of(NO_COMPONENT), 0);
    }

    /** The label of a registered object; {@code tag}: the ordinal of its tags or a negative number. */
    int ofRoot(int rootClass, int tag) {
        String component = components.get(componentOf[rootClass]);
        return label(rootClass, component.equals(NO_COMPONENT) ? null : component, true, false, tag);
    }

    /** The label that objects of this shape have before anything refers to them; {@link #FREE} for most. */
    int of(Shape shape) {
        if (shape.classId < 0) {
            return shape.component == null && !shape.hub ? FREE : label(-1, shape.component, false, shape.hub, -1);
        }
        return label(rootClassOf(shape), shape.component, true, shape.hub, -1);
    }

    /** The root class of objects of this shape, or a negative number. */
    int rootClassOf(Shape shape) {
        return shape.classId >= 0 && shape.classId < rootClassOf.length ? rootClassOf[shape.classId] : -1;
    }

    private int label(int rootClass, String component, boolean instrumented, boolean hub, int tag) {
        int[] set = new int[4];
        int n = 0;
        if (rootClass >= 0) {
            set[n++] = rootClass;
        }
        Integer ordinal = ordinals.get(component == null && instrumented ? NO_COMPONENT : component);
        if (ordinal != null) {
            set[n++] = firstComponent + ordinal;
        }
        if (tag >= 0) {
            set[n++] = firstTag + tag;
        }
        int closed = (instrumented || hub ? TO_CLASSES : 0) | (component != null || hub ? TO_COMPONENTS : 0);
        if (closed != 0) {
            set[n++] = firstFlag + closed;
        }
        return sets.intern(Arrays.copyOf(set, n));
    }

    private int closed(int label) {
        int[] set = sets.get(label);
        return set.length == 0 ? 0 : Math.max(0, set[set.length - 1] - firstFlag);
    }

    /** What an object with this label passes on to those that it refers to. */
    int outgoing(int label) {
        return closed(label) == 0 ? label : part(0, label);
    }

    /** The label of an object after one that passes on {@code incoming} was found to refer to it. */
    int entered(int label, int incoming) {
        if (incoming == label || incoming == FREE) {
            return label;
        }
        int closed = closed(label);
        int entering = closed == 0 ? incoming : closed == TO_CLASSES ? part(1, incoming)
                : closed == TO_COMPONENTS ? part(2, incoming) : FREE;
        return entering == FREE ? label : label == FREE ? entering : sets.union(label, entering);
    }

    private int part(int which, int label) {
        int[] known = parts[which];
        if (label >= known.length) {
            known = Arrays.copyOf(known, Math.max(label + 1, known.length * 2));
            parts[which] = known;
        }
        if (known[label] == 0) {
            int[] set = sets.get(label);
            int[] part = new int[set.length];
            int n = 0;
            for (int member : set) {
                boolean component = member >= firstComponent && member < firstTag;
                if (member < firstFlag && (which == 0 || component == (which == 1))) {
                    part[n++] = member;
                }
            }
            known[label] = sets.intern(Arrays.copyOf(part, n)) + 1;
        }
        return known[label] - 1;
    }

    long bytes() {
        return sets.bytes() + (parts[0].length + parts[1].length + parts[2].length) * 4L;
    }
}
