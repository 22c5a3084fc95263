package io.weighbridge.runtime;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The runtime's options (docs/configuration.md, "Runtime options"): the agent's argument before the system
 * property {@code weighbridge.KEY} before what the rewriter baked into the jar.
 *
 * <p>A value that makes no sense is warned of and the next source is asked; nothing here stops the program.
 */
final class Options {
    static final List<String> KEYS = Collections.unmodifiableList(Arrays.asList("enabled", "destfile",
            "dumponexit", "interval", "sessionid", "output", "jmx", "references", "cpu_percent", "gc", "soft", "exclude",
            "hubs", "holders", "sites", "peak", "peak_source", "peak_tolerance", "peak_floor", "peak_interval", "peak_dump", "peak_dumps",
            "peak_dump_growth", "ages", "threads"));
    private static final String PREFIX = "weighbridge.";

    final boolean enabled;
    final String destfile;
    final boolean dumpOnExit;
    /** 0 for none. */
    final long intervalMs;
    /** Null for none. */
    final String sessionId;
    final boolean writeFile;
    final boolean jmx;
    final int references;
    final int cpuPercent;
    /** Ask for a full collection before measurements at exit and on request. */
    final boolean collect;
    /** Follow soft references. */
    final boolean soft;
    /** Ask what holds the objects of the largest classes. */
    final boolean holders;
    final String[] exclude;
    /** Patterns of classes that own bytes stop at. */
    final String[] hubs;
    /** Frames kept of the stack of each tracked object's construction; 0 for none. */
    final int sites;
    /** Null if peaks are not watched. */
    final PeakOptions peak;
    final AgeBuckets ages;
    /** Patterns of thread names. */
    final String[] threads;

    private final Map<String, String> agent;
    private final Map<String, String> baked;

    private Options(Map<String, String> agent, Map<String, String> baked) {
        this.agent = agent;
        this.baked = baked;
        enabled = flag("enabled", true);
        destfile = text("destfile", "weighbridge-%p.wbr");
        dumpOnExit = flag("dumponexit", true);
        intervalMs = duration("interval");
        sessionId = text("sessionid", null);
        writeFile = !choice("output", "file", "none").equals("none");
        jmx = flag("jmx", false);
        references = number("references", Budget.DEFAULT_REFERENCES, 1, 10_000_000);
        cpuPercent = number("cpu_percent", 2, 1, 100);
        collect = choice("gc", "auto", "never").equals("auto");
        soft = flag("soft", false);
        holders = flag("holders", true);
        String patterns = text("exclude", "");
        exclude = patterns.isEmpty() ? new String[0] : patterns.split(";");
        String stops = text("hubs", "");
        hubs = stops.isEmpty() || stops.equals("none") ? new String[0] : stops.split(";");
        sites = number("sites", 0, 0, 1000);
        String mode = choice("peak", "off", PeakOptions.MODES);
        peak = mode.equals("off") ? null : new PeakOptions(mode, this);
        ages = ageBuckets();
        String names = text("threads", "");
        threads = names.isEmpty() ? new String[0] : names.split(";");
    }

    /** Options of an agent ({@code key=value,key=value}, may be null or empty), before any jar is linked. */
    static Options of(String agentArgument) {
        warnOfUnknownProperties();
        return new Options(parse(agentArgument), Collections.<String, String>emptyMap());
    }

    /** The same with an agent that came later. */
    Options withAgent(String argument) {
        return new Options(parse(argument), baked);
    }

    private static Map<String, String> parse(String argument) {
        Map<String, String> options = new LinkedHashMap<>();
        String text = argument == null ? "" : argument.trim();
        for (String pair : text.isEmpty() ? new String[0] : text.split(",")) {
            int equals = pair.indexOf('=');
            String key = (equals < 0 ? pair : pair.substring(0, equals)).trim();
            if (KEYS.contains(key)) {
                options.put(key, equals < 0 ? "true" : pair.substring(equals + 1).trim());
            } else {
                Notices.warn("unknown option \"" + key + "\"; the options are " + String.join(", ", KEYS));
            }
        }
        return options;
    }

    /** The same with what a jar brings along, which counts least. */
    Options with(Map<String, String> bakedOptions) {
        for (String key : bakedOptions.keySet()) {
            if (!KEYS.contains(key)) {
                Notices.warn("unknown option \"" + key + "\" in a rewritten jar; this runtime is too old for it");
            }
        }
        return new Options(agent, bakedOptions);
    }

    /** True if a jar's baked options are those in force. */
    boolean bakedEquals(Map<String, String> others) {
        return baked.equals(others);
    }

    private static void warnOfUnknownProperties() {
        try {
            for (String name : System.getProperties().stringPropertyNames()) {
                if (name.startsWith(PREFIX) && !KEYS.contains(name.substring(PREFIX.length()))) {
                    Notices.warn("unknown option -D" + name + "; the options are " + String.join(", ", KEYS));
                }
            }
        } catch (SecurityException hidden) {
            // Then properties are no way to set options either.
        }
    }

    /** What the sources say, the strongest first; null where one is silent. */
    private String[] sources(String key) {
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

    private boolean flag(String key, boolean otherwise) {
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
                    // Below.
                }
                senseless(key, value, "a number from " + least + " to " + most);
            }
        }
        return otherwise;
    }

    private AgeBuckets ageBuckets() {
        for (String value : sources("ages")) {
            AgeBuckets buckets = value == null ? null : AgeBuckets.parse(value);
            if (buckets != null) {
                return buckets;
            }
            senseless("ages", value, "lower bounds joined by ;, rising from 0");
        }
        return AgeBuckets.parse(AgeBuckets.DEFAULT);
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
        int digits = text.length();
        int shift = 0;
        if (digits > 0) {
            int unit = "kmg".indexOf(Character.toLowerCase(text.charAt(digits - 1)));
            if (unit >= 0) {
                digits--;
                shift = 10 * (unit + 1);
            }
        }
        if (digits == 0 || digits > 12) {
            return -1;
        }
        for (int i = 0; i < digits; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return -1;
            }
        }
        long number = Long.parseLong(text.substring(0, digits));
        return number > Long.MAX_VALUE >> shift ? -1 : number << shift;
    }

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
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        String unit = text.substring(digits);
        long factor = unit.equals("ms") ? 1 : unit.equals("s") ? 1_000 : unit.equals("m") ? 60_000
                : unit.equals("h") ? 3_600_000 : 0;
        if (factor == 0 || digits == 0 || digits > 10) {
            return -1;
        }
        long ms = Long.parseLong(text.substring(0, digits)) * factor;
        return ms == 0 ? -1 : ms;
    }

    private static void senseless(String key, String value, String allowed) {
        if (value != null) {
            Notices.warn("option " + key + "=" + value + " is ignored: it takes " + allowed);
        }
    }
}
