package io.weighbridge.runtime.control;

import io.weighbridge.runtime.contract.RuntimeOption;
import io.weighbridge.runtime.contract.RuntimeOptions;
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
    String[] sources(RuntimeOption option) {
        String key = option.key;
        String property = null;
        try {
            property = System.getProperty(PREFIX + key);
        } catch (SecurityException hidden) {
            // As if it were not set.
        }
        return new String[] {agent.get(key), property, baked.get(key)};
    }

    /** Null for none. */
    String text(RuntimeOption option) {
        String given = given(option);
        return given == null ? option.otherwise : given;
    }

    /** What a source says, whatever it is unless set; null if none does. */
    String given(RuntimeOption option) {
        for (String value : sources(option)) {
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /** Texts joined by {@code ;}; none unless set. */
    String[] texts(RuntimeOption option) {
        String all = text(option);
        return all == null || all.isEmpty() ? new String[0] : all.split(";");
    }

    boolean flag(RuntimeOption option) {
        for (String value : sources(option)) {
            if ("true".equals(value) || "false".equals(value)) {
                return value.equals("true");
            }
            senseless(option, value, "true or false");
        }
        return option.otherwise.equals("true");
    }

    /** One of several values, the first unless set. */
    String choice(RuntimeOption option) {
        for (String value : sources(option)) {
            if (value != null && option.choices.contains(value)) {
                return value;
            }
            senseless(option, value, String.join(" or ", option.choices));
        }
        return option.otherwise;
    }

    int number(RuntimeOption option) {
        for (String value : sources(option)) {
            if (value != null) {
                try {
                    int number = Integer.parseInt(value);
                    if (number >= option.least && number <= option.most) {
                        return number;
                    }
                } catch (NumberFormatException said) {
                    // It is warned of below.
                }
                senseless(option, value, "a number from " + option.least + " to " + option.most);
            }
        }
        return option.number();
    }

    /** A number of bytes. */
    long size(RuntimeOption option, long otherwise) {
        for (String value : sources(option)) {
            if (value != null) {
                long bytes = bytes(value);
                if (bytes >= 0) {
                    return bytes;
                }
                senseless(option, value, "bytes, or 512k, 64m, 2g");
            }
        }
        return otherwise;
    }

    /** As the JVM's own options: 1024, 512k, 64m, 2g; -1 for anything else. */
    static long bytes(String text) {
        int digits = digits(text);
        int unit = Arrays.asList("", "k", "m", "g").indexOf(text.substring(digits).toLowerCase(Locale.ROOT));
        if (unit < 0 || digits == 0 || digits > RuntimeOptions.MOST_DIGITS) {
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
    int percent(RuntimeOption option) {
        for (String value : sources(option)) {
            if (value != null) {
                int percent = percent(value);
                if (percent >= 0) {
                    return percent;
                }
                senseless(option, value, "1% to 99% or off");
            }
        }
        return percent(option.otherwise);
    }

    /** -1 for anything else. */
    private static int percent(String text) {
        String digits = text.endsWith("%") ? text.substring(0, text.length() - 1) : text;
        boolean isPercent = digits.matches("[0-9]{1,2}") && Integer.parseInt(digits) > 0;
        return text.equals("off") ? 0 : isPercent ? Integer.parseInt(digits) : -1;
    }

    /** Milliseconds; 0 for none. */
    long duration(RuntimeOption option) {
        for (String value : sources(option)) {
            if (value != null) {
                long ms = value.matches("0(ms|s|m|h)") ? 0 : milliseconds(value);
                boolean isNone = option.otherwise == null && value.equals("off");
                if (ms >= option.least || isNone) {
                    return ms;
                }
                senseless(option, value, "500ms, 10s, 5m, 1h or off");
            }
        }
        return option.otherwise == null ? 0 : milliseconds(option.otherwise);
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

    void senseless(RuntimeOption option, String value, String allowed) {
        if (value != null) {
            refused.add(new Senseless("option " + option.key + "=" + value, allowed));
        }
    }
}
