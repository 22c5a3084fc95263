package io.weighbridge.runtime.probe;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Groups of threads by name: what a platform thread was called when it constructed its first object.
 *
 * <p>The first pattern of the option {@code threads} that matches names the group ({@code *} stands for any characters).
 * Without a match it is the name with each run of digits replaced by {@code *}, so that a pool is one group. Virtual
 * threads are one group together. There are at most {@link #MOST} groups; further names count as {@link #OTHER}.
 */
public final class ThreadNames {
    static final int OTHER = 0;
    /** The group of all virtual threads. */
    public static final int VIRTUAL = 1;
    private static final int MOST = Origin.GROUPS;
    private static final int LONGEST = 120;
    private static final Map<String, Integer> IDS = new HashMap<>();
    private static final List<String> NAMES = new ArrayList<>();
    private static volatile String[] patterns = {};

    static {
        id("other");
        id("virtual threads");
    }

    private ThreadNames() {
    }

    /** For threads that have constructed nothing yet. */
    public static void set(String[] namePatterns) {
        patterns = namePatterns.clone();
    }

    /** The group of a platform thread. */
    static int of(Thread thread) {
        String name = thread.getName();
        for (String pattern : patterns) {
            if (matches(pattern, name)) {
                return id(pattern);
            }
        }
        return id(withoutNumbers(name));
    }

    /** How many groups there are: their ids are less than this. */
    public static int size() {
        synchronized (IDS) {
            return NAMES.size();
        }
    }

    /** What a group is called. */
    public static String name(int group) {
        synchronized (IDS) {
            return NAMES.get(group);
        }
    }

    private static int id(String name) {
        synchronized (IDS) {
            Integer known = IDS.get(name);
            if (known == null) {
                if (NAMES.size() == MOST) {
                    return OTHER;
                }
                known = NAMES.size();
                NAMES.add(name);
                IDS.put(name, known);
            }
            return known;
        }
    }

    static String withoutNumbers(String name) {
        StringBuilder text = new StringBuilder();
        boolean number = false;
        for (int i = 0; i < name.length() && text.length() < LONGEST; i++) {
            char c = name.charAt(i);
            boolean digit = c >= '0' && c <= '9';
            if (!digit) {
                text.append(c);
            } else if (!number) {
                text.append('*');
            }
            number = digit;
        }
        return text.toString();
    }

    /** Whether a name is meant by a pattern, in which {@code *} stands for any characters. */
    public static boolean matches(String pattern, String name) {
        return matches(pattern, 0, name, 0);
    }

    private static boolean matches(String pattern, int p, String name, int n) {
        for (; p < pattern.length(); p++, n++) {
            if (pattern.charAt(p) == '*') {
                for (int i = n; i <= name.length(); i++) {
                    if (matches(pattern, p + 1, name, i)) {
                        return true;
                    }
                }
                return false;
            }
            if (n == name.length() || pattern.charAt(p) != name.charAt(n)) {
                return false;
            }
        }
        return n == name.length();
    }
}
