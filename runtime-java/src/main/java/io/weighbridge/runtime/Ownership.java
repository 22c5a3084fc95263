package io.weighbridge.runtime;

/** Classes that a component owns, by name, instrumented or not. */
final class Ownership {
    final String component;
    final NamePattern pattern;

    Ownership(String component, String pattern) {
        this.component = component;
        this.pattern = new NamePattern(pattern);
    }
}
