package io.weighbridge.runtime.walk;

/** The shapes and own labels of classes met lately, by the class's hash. Dropped with the walk, so they keep no class alive. */
final class RecentShapes {
    private static final int SLOTS = 256;
    private final Shapes shapes;
    private final OwnLabels labels;
    private final Shape[] recent = new Shape[SLOTS];
    /** Side by side with {@link #recent}. */
    private final int[] recentLabels = new int[SLOTS];
    private final int[] recentRootClasses = new int[SLOTS];

    RecentShapes(Shapes shapes, OwnLabels labels) {
        this.shapes = shapes;
        this.labels = labels;
    }

    Shape shapeOf(Object o) {
        Class<?> type = o.getClass();
        int slot = slotOf(type);
        Shape shape = recent[slot];
        if (shape == null || shape.type != type) {
            shape = shapes.get(type);
            recent[slot] = shape;
            recentLabels[slot] = labels.of(shape);
            recentRootClasses[slot] = labels.rootClassOf(shape);
        }
        return shape;
    }

    /** The own label of the class whose shape was asked for last. */
    int label(Class<?> type) {
        return recentLabels[slotOf(type)];
    }

    /** The root class of the class whose shape was asked for last, or a negative number. */
    int rootClass(Class<?> type) {
        return recentRootClasses[slotOf(type)];
    }

    private static int slotOf(Class<?> type) {
        return type.hashCode() & SLOTS - 1;
    }
}
