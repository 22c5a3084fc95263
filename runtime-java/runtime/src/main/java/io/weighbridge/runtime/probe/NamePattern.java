package io.weighbridge.runtime.probe;

/**
 * A pattern on dotted binary names, as in docs/configuration.md: {@code *} within a segment, {@code **} across
 * segments (as a whole segment it also stands for none), {@code ?} one character.
 */
public final class NamePattern {
    private final String pattern;

    /** Of its text in the configuration. */
    public NamePattern(String pattern) {
        this.pattern = pattern;
    }

    /** Whether a dotted binary name is meant. */
    public boolean matches(String name) {
        return matches(0, name, 0);
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
