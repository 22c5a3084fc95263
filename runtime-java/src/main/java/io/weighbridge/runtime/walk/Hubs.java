package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.probe.NamePattern;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Classes through which everything reaches everything: containers, class loaders, thread pools, loggers. Own bytes stop at
 * their objects; deep bytes do not.
 *
 * <p>Patterns as those of {@code exclude}: without wildcards they stand for a class and its subtypes.
 */
public final class Hubs {
    static final Hubs NONE = new Hubs(new String[0]);

    private final Set<String> types = new HashSet<>();
    private final List<NamePattern> patterns = new ArrayList<>();

    /** Of patterns as the option {@code hubs} has them. */
    public Hubs(String[] texts) {
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

    /** The same for each class, whose answer is remembered. */
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
