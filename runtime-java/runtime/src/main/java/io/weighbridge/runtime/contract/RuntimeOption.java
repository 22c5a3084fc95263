package io.weighbridge.runtime.contract;

import java.util.List;

/** An option of the runtime: its name, and which values it takes. {@link RuntimeOptions} has all. */
public final class RuntimeOption {
    public final String key;
    /** What it is unless set; null for nothing, and for what the runtime chooses. */
    public final String otherwise;
    /** Of a number, and of a duration in milliseconds: the smallest. */
    public final int least;
    /** The greatest. */
    public final int most;
    /** The words that it takes; empty for any text. */
    public final List<String> choices;

    private RuntimeOption(String key, String otherwise, int least, int most, List<String> choices) {
        this.key = key;
        this.otherwise = otherwise;
        this.least = least;
        this.most = most;
        this.choices = choices;
    }

    RuntimeOption(String key, String otherwise) {
        this(key, otherwise, 0, 0, List.of());
    }

    RuntimeOption(String key, String otherwise, int least, int most) {
        this(key, otherwise, least, most, List.of());
    }

    RuntimeOption(String key, String otherwise, List<String> choices) {
        this(key, otherwise, 0, 0, choices);
    }

    /** The number that it is unless set. */
    public int number() {
        return Integer.parseInt(otherwise);
    }

    /** The names of options, joined. */
    public static String names(List<RuntimeOption> options) {
        StringBuilder names = new StringBuilder();
        for (RuntimeOption option : options) {
            names.append(names.length() == 0 ? "" : ", ").append(option.key);
        }
        return names.toString();
    }

    /** The option of a list with this name, or null. */
    public static RuntimeOption find(List<RuntimeOption> options, String key) {
        for (RuntimeOption option : options) {
            if (option.key.equals(key)) {
                return option;
            }
        }
        return null;
    }
}
