package com.acme.shape;

/** A hierarchy all of whose classes are instrumented; `Old` becomes a class file of version 48. */
public final class Shapes {
    private Shapes() {
    }

    public abstract static class Shape implements Cloneable {
        public Shape copy() {
            try {
                return (Shape) super.clone();
            } catch (CloneNotSupportedException impossible) {
                throw new AssertionError(impossible);
            }
        }
    }

    /** Between the registrar and its subclasses, without objects of its own. */
    public abstract static class Round extends Shape {
    }

    public static class Circle extends Round {
    }

    public static class Ring extends Circle {
    }

    public static final class Square extends Shape {
    }
}
