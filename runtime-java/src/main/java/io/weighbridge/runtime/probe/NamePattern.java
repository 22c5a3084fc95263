package io.weighbridge.runtime.probe;

/**
 * A pattern on dotted binary names, as in docs/configuration.md: {@code *} within a segment, {@code **} across
 * segments (as a whole segment it also stands for none), {@code ?} one character.
 *
 * <p>A pattern without wildcards stands for that class and its subtypes, so that {@code java.lang.ClassLoader} and
 * {@code org.slf4j.Logger} exclude what they are meant to exclude; one with wildcards for the names it matches.
 */
public final class NamePattern {
    private final String pattern;
    private final boolean wild;

    /** Of its text in the configuration. */
    public NamePattern(String pattern) {
        this.pattern = pattern;
        this.wild = pattern.indexOf('*') >= 0 || pattern.indexOf('?') >= 0;
    }

    /** Several, side by side with their texts. */
    public static NamePattern[] all(String[] patterns) {
        NamePattern[] all = new NamePattern[patterns.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = new NamePattern(patterns[i].trim());
        }
        return all;
    }

    /** True if the class is one that the pattern stands for. */
    public boolean covers(Class<?> type) {
        return wild ? matches(type.getName()) : descends(type);
    }

    /** Whether a dotted binary name is meant. */
    public boolean matches(String name) {
        return matches(0, name, 0);
    }

    private boolean descends(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            if (c.getName().equals(pattern)) {
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

    /** Backtracks over wildcards; patterns are short and each class is asked once. */
    private boolean matches(int p, String name, int n) {
        while (p < pattern.length()) {
            char c = pattern.charAt(p);
            if (c == '*') {
                boolean across = p + 1 < pattern.length() && pattern.charAt(p + 1) == '*';
                int after = p + (across ? 2 : 1);
                if (across && (p == 0 || pattern.charAt(p - 1) == '.') && after < pattern.length()
                        && pattern.charAt(after) == '.' && matches(after + 1, name, n)) {
                    return true;
                }
                for (int i = n; i <= name.length(); i++) {
                    if (matches(after, name, i)) {
                        return true;
                    }
                    if (i < name.length() && !across && name.charAt(i) == '.') {
                        return false;
                    }
                }
                return false;
            }
            if (n == name.length() || (c == '?' ? name.charAt(n) == '.' : name.charAt(n) != c)) {
                return false;
            }
            p++;
            n++;
        }
        return n == name.length();
    }
}
