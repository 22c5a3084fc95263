package io.weighbridge.runtime.probe;

/** Classes that a component owns, by name, instrumented or not. */
public final class Ownership {
    public final String component;
    public final NamePattern pattern;

    Ownership(String component, String pattern) {
        this.component = component;
        this.pattern = new NamePattern(pattern);
    }
}
