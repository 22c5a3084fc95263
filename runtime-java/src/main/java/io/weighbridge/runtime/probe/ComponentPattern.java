package io.weighbridge.runtime.probe;

/** Classes that a component owns, by name, instrumented or not. */
public final class ComponentPattern {
    /** The component's name. */
    public final String component;
    /** Of its classes' names. */
    public final NamePattern pattern;

    ComponentPattern(String component, String pattern) {
        this.component = component;
        this.pattern = new NamePattern(pattern);
    }
}
