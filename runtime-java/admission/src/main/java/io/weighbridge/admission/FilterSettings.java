package io.weighbridge.admission;

import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The init-parameters of both filters. */
public final class FilterSettings {
    private static final int LONGEST = 200;
    private static final String HEADER = "header:";
    private static final String NAME = "name:";
    private final String key;
    private final String value;
    private final String retryAfter;

    /**
     * Reads them; {@code parameters} gives null for one that is not there.
     *
     * @throws IllegalArgumentException with the parameter and what is allowed
     */
    public FilterSettings(UnaryOperator<String> parameters) {
        key = or(parameters.apply("key"), "request");
        value = or(parameters.apply("value"), "path");
        retryAfter = or(parameters.apply("retryAfter"), "5");
        boolean isNamed = value.startsWith(HEADER) && value.length() > HEADER.length()
                || value.startsWith(NAME) && value.length() > NAME.length();
        if (!isNamed && !value.equals("path") && !value.equals("mapping")) {
            throw new IllegalArgumentException(
                    "value=" + value + ": allowed are path, mapping, header:NAME and name:TEXT");
        }
        if (!retryAfter.matches("[0-9]{1,6}")) {
            throw new IllegalArgumentException("retryAfter=" + retryAfter + ": a number of seconds is needed");
        }
    }

    private static String or(String given, String otherwise) {
        return given == null || given.isBlank() ? otherwise : given.trim();
    }

    /** The key of the tags. */
    public String key() {
        return key;
    }

    /** Seconds, for the header {@code Retry-After}. */
    public String retryAfter() {
        return retryAfter;
    }

    /** The value of a request's tag, from its servlet path, the pattern that its servlet is mapped to, and its headers. */
    public String value(Supplier<String> path, Supplier<String> mapping, UnaryOperator<String> headers) {
        String given = value.equals("path") ? path.get() : value.equals("mapping") ? mapping.get()
                : value.startsWith(NAME) ? value.substring(NAME.length()) : headers.apply(value.substring(HEADER.length()));
        String known = or(given, "other");
        return known.length() <= LONGEST ? known : known.substring(0, LONGEST);
    }
}
