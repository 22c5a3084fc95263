package io.weighbridge.runtime;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a jar's table says of classes: those that are instrumented, and to which components they and others belong. */
class JarClasses {
    /** The jar's name. */
    String jar = "";
    /** The instrumented classes, in the order of their ids. */
    final ClassLines classes;
    /** In the order of the configuration. */
    final List<String> components = new ArrayList<>();
    /** Pairs of a component and a pattern of names that it owns. */
    final List<List<String>> ownership = new ArrayList<>();
    /** Names of matched classes in other jars. */
    final Set<String> descendants = new HashSet<>();

    /** {@code text}: the whole table. */
    JarClasses(String text) {
        classes = new ClassLines(text);
    }
}
