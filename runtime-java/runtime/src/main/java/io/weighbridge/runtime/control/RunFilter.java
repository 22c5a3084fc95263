package io.weighbridge.runtime.control;

import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.NamePattern;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Where a run measures: a class is in it if one of the first patterns matches, or there is none, and none of the others. */
final class RunFilter implements Predicate<ClassEntry> {
    final List<String> include;
    final List<String> exclude;
    private final List<NamePattern> included;
    private final List<NamePattern> excluded;

    RunFilter(List<String> include, List<String> exclude) {
        this.include = include;
        this.exclude = exclude;
        included = patterns(include);
        excluded = patterns(exclude);
    }

    private static List<NamePattern> patterns(List<String> texts) {
        List<NamePattern> patterns = new ArrayList<>();
        for (String text : texts) {
            patterns.add(new NamePattern(text));
        }
        return patterns;
    }

    @Override
    public boolean test(ClassEntry entry) {
        return (included.isEmpty() || matches(included, entry.name)) && !matches(excluded, entry.name);
    }

    private static boolean matches(List<NamePattern> patterns, String name) {
        for (NamePattern pattern : patterns) {
            if (pattern.matches(name)) {
                return true;
            }
        }
        return false;
    }
}
