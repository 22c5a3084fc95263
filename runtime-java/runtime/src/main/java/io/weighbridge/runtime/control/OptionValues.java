package io.weighbridge.runtime.control;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Values of options, by source. A value that makes no sense is refused, and the next source is asked. */
final class OptionValues {
    /** Of the system properties that set options. */
    static final String PREFIX = "weighbridge.";
    final Map<String, String> agent;
    /** What a jar brings along. */
    final Map<String, String> baked;
    /** Values that make no sense. */
    final List<Senseless> refused = new ArrayList<>();

    /** A value that makes no sense. */
    static final class Senseless {
        private final String option;
        private final String allowed;

        Senseless(String option, String allowed) {
            this.option = option;
            this.allowed = allowed;
        }

        /** For who has to go on without it. */
        String warning() {
            return option + " is ignored: it takes " + allowed;
        }

        /** For who can correct it. */
        String error() {
            return option + ": it takes " + allowed;
        }
    }

    OptionValues(Map<String, String> agent, Map<String, String> baked) {
        this.agent = agent;
        this.baked = baked;
    }

    /** The value of each source, the strongest first; null where a source has none. */
    String[] sources(String key) {
        String property = null;
        try {
            property = System.getProperty(PREFIX + key);
        } catch (SecurityException hidden) {
            // As if it were not set.
        }
        return new String[] {agent.get(key), property, baked.get(key)};
    }

    String text(String key, String otherwise) {
        for (String value : sources(key)) {
            if (value != null) {
                return value;
            }
        }
        return otherwise;
    }

    /** Texts joined by {@code ;}; none unless set. */
    String[] texts(String key) {
        String all = text(key, "");
        return all.isEmpty() ? new String[0] : all.split(";");
    }

    boolean flag(String key, boolean otherwise) {
        for (String value : sources(key)) {
            if ("true".equals(value) || "false".equals(value)) {
                return value.equals("true");
            }
            senseless(key, value, "true or false");
        }
        return otherwise;
    }

    /** One of several values, the first unless set. */
    String choice(String key, String first, String... others) {
        for (String value : sources(key)) {
            if (first.equals(value) || Arrays.asList(others).contains(value)) {
                return value;
            }
            senseless(key, value, first + " or " + String.join(" or ", others));
        }
        return first;
    }

    int number(String key, int otherwise, int least, int most) {
        for (String value : sources(key)) {
            if (value != null) {
                try {
                    int number = Integer.parseInt(value);
                    if (number >= least && number <= most) {
                        return number;
                    }
                } catch (NumberFormatException said) {
                    // It is warned of below.
                }
                senseless(key, value, "a number from " + least + " to " + most);
            }
        }
        return otherwise;
    }

    /** A number of bytes. */
    long size(String key, long otherwise) {
        for (String value : sources(key)) {
            if (value != null) {
                long bytes = bytes(value);
                if (bytes >= 0) {
                    return bytes;
                }
                senseless(key, value, "bytes, or 512k, 64m, 2g");
            }
        }
        return otherwise;
    }

    /** As the JVM's own options: 1024, 512k, 64m, 2g; -1 for anything else. */
    static long bytes(String text) {
        int digits = digits(text);
        int unit = Arrays.asList("", "k", "m", "g").indexOf(text.substring(digits).toLowerCase(Locale.ROOT));
        if (unit < 0 || digits == 0 || digits > 12) {
            return -1;
        }
        int shift = 10 * unit;
        long number = Long.parseLong(text.substring(0, digits));
        return number > Long.MAX_VALUE >> shift ? -1 : number << shift;
    }

    /** How many digits a text begins with. */
    private static int digits(String text) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        return digits;
    }

    /** A percentage such as {@code 90} or {@code 90%}; 0 for {@code off}. */
    int percent(String key, int otherwise) {
        for (String value : sources(key)) {
            if (value != null) {
                String digits = value.endsWith("%") ? value.substring(0, value.length() - 1) : value;
                if (value.equals("off")) {
                    return 0;
                }
                if (digits.matches("[0-9]{1,2}") && Integer.parseInt(digits) > 0) {
                    return Integer.parseInt(digits);
                }
                senseless(key, value, "1% to 99% or off");
            }
        }
        return otherwise;
    }

    /** Milliseconds; 0 for {@code off} and {@code 0s}. */
    long duration(String key, long otherwise) {
        String text = text(key, null);
        return text == null ? otherwise : text.matches("0(ms|s|m|h)") ? 0 : duration(key);
    }

    /** Milliseconds; 0 unless set. */
    long duration(String key) {
        for (String value : sources(key)) {
            if (value != null) {
                long ms = milliseconds(value);
                if (ms >= 0) {
                    return ms;
                }
                senseless(key, value, "500ms, 10s, 5m, 1h or off");
            }
        }
        return 0;
    }

    /** A duration in milliseconds, 0 for {@code off}, -1 for anything else. */
    static long milliseconds(String text) {
        if (text.equals("off")) {
            return 0;
        }
        int digits = digits(text);
        String unit = text.substring(digits);
        long factor = unit.equals("ms") ? 1 : unit.equals("s") ? 1_000 : unit.equals("m") ? 60_000
                : unit.equals("h") ? 3_600_000 : 0;
        if (factor == 0 || digits == 0 || digits > 10) {
            return -1;
        }
        long ms = Long.parseLong(text.substring(0, digits)) * factor;
        return ms == 0 ? -1 : ms;
    }

    void senseless(String key, String value, String allowed) {
        if (value != null) {
            refused.add(new Senseless("option " + key + "=" + value, allowed));
        }
    }
}
