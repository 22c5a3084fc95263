package io.weighbridge.runtime.probe;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a jar's table says of classes: those that are instrumented, and to which components they and others belong. */
public class JarClasses {
    /** The jar's name. */
    public String jar = "";
    /** The instrumented classes, in the order of their ids. */
    public final ClassLines classes;
    /** In the order of the configuration. */
    public final List<String> components = new ArrayList<>();
    /** Pairs of a component and a pattern of names that it owns. */
    public final List<List<String>> componentPatterns = new ArrayList<>();
    /** Names of matched classes in other jars. */
    public final Set<String> descendants = new HashSet<>();

    /** {@code text}: the whole table. */
    public JarClasses(String text) {
        classes = new ClassLines(text);
    }
}
