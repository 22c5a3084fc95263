package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.probe.NamePattern;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The classes that an option names, {@code exclude} or {@code hubs}.
 *
 * <p>A pattern without wildcards stands for that class and its subtypes: {@code java.lang.ClassLoader},
 * {@code org.slf4j.Logger}. One with wildcards stands for the names it matches. Each class is asked once.
 */
public final class ClassPatterns {
    private final Set<String> types = new HashSet<>();
    private final List<NamePattern> patterns = new ArrayList<>();

    /** Of their texts in the configuration. */
    public ClassPatterns(String... texts) {
        for (String text : texts) {
            String pattern = text.trim();
            if (pattern.indexOf('*') >= 0 || pattern.indexOf('?') >= 0) {
                patterns.add(new NamePattern(pattern));
            } else {
                types.add(pattern);
            }
        }
    }

    boolean covers(Class<?> type) {
        for (NamePattern pattern : patterns) {
            if (pattern.matches(type.getName())) {
                return true;
            }
        }
        return !types.isEmpty() && descends(type);
    }

    private boolean descends(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            if (types.contains(c.getName())) {
                return true;
            }
            for (Class<?> i : c.getInterfaces()) {
                if (descends(i)) {
                    return true;
                }
            }
        }
        return false;
    }
}
