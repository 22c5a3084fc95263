package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.ObjectSizes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Walks from given roots, without a registry: root classes are the keys, each a component of its own unless named otherwise. */
public final class Walked {
    public final Attribution held;
    final OwnBytes own;
    final Walk walk;
    final RootClassSets sets;

    private Walked(Walk walk, RootClassSets sets, Attribution held, OwnBytes own) {
        this.walk = walk;
        this.sets = sets;
        this.held = held;
        this.own = own;
    }

    public static Shapes shapes(String... excluded) {
        return new Shapes(ObjectSizes.get(), FieldAccess.get(), new ClassPatterns(excluded), false, new ClassPatterns());
    }

    /** Each argument is the roots of one root class and component. */
    public static Walked from(Shapes shapes, Object[]... roots) {
        int[] each = new int[roots.length];
        Arrays.setAll(each, i -> i);
        return from(shapes, new int[0], each, roots.length, roots);
    }

    public static Walked from(Shapes shapes, int[] rootClassOf, int[] componentOf, int components, Object[]... roots) {
        List<String> names = new ArrayList<>();
        for (int c = 0; c < components; c++) {
            names.add("component" + c);
        }
        return from(shapes, rootClassOf, componentOf, names, roots);
    }

    public static Walked from(Shapes shapes, int[] rootClassOf, int[] componentOf, List<String> components, Object[]... roots) {
        RootClassSets sets = new RootClassSets();
        OwnLabels labels = new OwnLabels(rootClassOf, componentOf, components, 0);
        Walk walk = new Walk(shapes, new WalkLimits(0, Long.MAX_VALUE), sets, labels, rootClassOf, Walk.table(false));
        for (int rootClass = 0; rootClass < roots.length; rootClass++) {
            walk.from(roots[rootClass], 1, rootClass, null);
        }
        walk.run();
        return new Walked(walk, sets, new Attribution(walk.deep, sets, componentOf, components.size()),
                new OwnBytes(walk.own, labels, roots.length, components, new int[0]));
    }

    /** What an object reaches, by the simplest algorithm. */
    static Set<Object> reachable(Shapes shapes, Object root) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        ArrayDeque<Object> todo = new ArrayDeque<>();
        todo.add(root);
        while (!todo.isEmpty()) {
            Object o = todo.poll();
            Shape shape = shapes.get(o.getClass());
            if (shape == Shape.SKIPPED || !seen.add(o)) {
                continue;
            }
            if (shape.references) {
                for (Object element : (Object[]) o) {
                    if (element != null) {
                        todo.add(element);
                    }
                }
            }
            for (int i = 0; i < shape.fieldCount(); i++) {
                Object value = shape.read(o, i);
                if (value != null) {
                    todo.add(value);
                }
            }
        }
        return seen;
    }
}
