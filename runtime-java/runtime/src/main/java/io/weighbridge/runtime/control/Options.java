package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.registry.AgeBuckets;
import io.weighbridge.runtime.shortage.Policy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The runtime's options (docs/configuration.md, "Runtime options"). The agent's argument wins over the system
 * property {@code weighbridge.KEY}, that one over what the rewriter baked into the jar.
 *
 * <p>A value that makes no sense brings a warning, and the next source is asked. Nothing here stops the program.
 */
final class Options {
    static final List<String> KEYS = Collections.unmodifiableList(Arrays.asList("enabled", "destfile",
            "dumponexit", "interval", "sessionid", "output", "jmx", "references", "cpu_percent", "pause", "gc", "soft", "exclude",
            "hubs", "holders", "reader", "walk_memory", "sites", "peak", "peak_source", "peak_tolerance", "peak_floor", "peak_interval", "peak_dump", "peak_dumps",
            "peak_dump_growth", "ages", "threads",
            "shortage", "shortage_old_generation", "shortage_allocation", "shortage_container", "shortage_exhausted",
            "shortage_by", "shortage_measure", "shortage_analyser", "shortage_least", "shortage_frame", "shortage_threads",
            "shortage_scopes", "shortage_methods", "shortage_interrupt", "shortage_force", "shortage_fixed", "shortage_wait",
            "shortage_per_minute", "shortage_retry", "shortage_admit", "shortage_admit_wait"));

    /** What may be changed while measuring; the rest is in the recording's header, or in figures that are kept. */
    static final List<String> CHANGEABLE = List.of("interval", "cpu_percent", "pause", "references", "gc", "holders", "sites", "peak",
            "peak_source", "peak_tolerance", "peak_floor", "peak_interval", "peak_dump", "peak_dumps", "peak_dump_growth",
            "shortage", "shortage_old_generation", "shortage_allocation", "shortage_container", "shortage_exhausted",
            "shortage_by", "shortage_measure", "shortage_least", "shortage_frame", "shortage_threads", "shortage_scopes",
            "shortage_interrupt", "shortage_force", "shortage_wait", "shortage_per_minute",
            "shortage_admit_wait");
    /** Settings of a run: those of a measurement. Others belong to the whole session. */
    static final List<String> OF_RUN = List.of("interval", "cpu_percent", "gc", "holders");

    final boolean enabled;
    final String destfile;
    final boolean dumpOnExit;
    /** 0 for none. */
    final long intervalMs;
    /** Null for none. */
    final String sessionId;
    /** Measurements are written somewhere: to a file, or only to who follows them by the control channel. */
    final boolean records;
    private final boolean writesFile;
    final boolean jmx;
    final int references;
    final int cpuPercent;
    /** No stop of the program is meant to be longer; 0: nothing stops it that can be left out. */
    final long pauseMs;
    /** Ask for a full collection before measurements at exit and on request. */
    final boolean collect;
    /** Follow soft references. */
    final boolean soft;
    /** Ask what holds the objects of the largest classes. */
    final boolean holders;
    /** The program {@code weighbridge} on this machine, which reads heap dumps; null to walk the heap instead. */
    final String reader;
    /** Bytes of a walk's tables; 0 for what does no harm. */
    final long walkMemory;
    final String[] exclude;
    /** Patterns of classes that own bytes stop at. */
    final String[] hubs;
    /** Frames kept of the stack of each tracked object's construction; 0 for none. */
    final int sites;
    /** Null if peaks are not watched. */
    final PeakOptions peak;
    /** Null if memory shortages are not watched. */
    final Policy shortage;
    final AgeBuckets ages;
    /** Patterns of thread names. */
    final String[] threads;

    final OptionValues values;

    private Options(OptionValues values) {
        this.values = values;
        enabled = values.flag("enabled", true);
        destfile = values.text("destfile", "weighbridge-%p.wbr");
        dumpOnExit = values.flag("dumponexit", true);
        intervalMs = values.duration("interval");
        sessionId = values.text("sessionid", null);
        String output = values.choice("output", "file", "none", "stream");
        records = !output.equals("none");
        writesFile = output.equals("file");
        jmx = values.flag("jmx", false);
        references = values.number("references", Budget.DEFAULT_REFERENCES, 1, 10_000_000);
        cpuPercent = values.number("cpu_percent", 2, 1, 100);
        pauseMs = values.duration("pause", PauseBudget.DEFAULT_MS);
        collect = values.choice("gc", "auto", "never").equals("auto");
        soft = values.flag("soft", false);
        holders = values.flag("holders", true);
        reader = values.text("reader", null);
        walkMemory = values.size("walk_memory", 0);
        exclude = values.texts("exclude");
        hubs = values.text("hubs", "none").equals("none") ? new String[0] : values.texts("hubs");
        sites = values.number("sites", 0, 0, 1000);
        String mode = values.choice("peak", "off", PeakOptions.MODES);
        peak = mode.equals("off") ? null : new PeakOptions(mode, values);
        String shortages = values.choice("shortage", "off", ShortageOptions.MODES);
        shortage = shortages.equals("off") ? null : ShortageOptions.policy(shortages, values);
        ages = ageBuckets();
        threads = values.texts("threads");
    }

    /** The file's name, or null if none is written. */
    String file() {
        return writesFile ? destfile : null;
    }

    /** The same with some of the agent's options changed. Names and values may make no sense: see {@link #refused}. */
    Options changed(Map<String, String> changes) {
        Map<String, String> agent = new LinkedHashMap<>(values.agent);
        agent.putAll(changes);
        return new Options(new OptionValues(agent, values.baked));
    }

    /** Sentences about values that make no sense, which are ignored. */
    List<String> refused() {
        List<String> sentences = new ArrayList<>();
        for (OptionValues.Senseless value : values.refused) {
            sentences.add(value.error());
        }
        return sentences;
    }

    /** Tells of values that make no sense. */
    Options warned() {
        for (OptionValues.Senseless value : values.refused) {
            Notices.warn(value.warning());
        }
        return this;
    }

    /** What is wrong with an agent's options, in a sentence; null if nothing is. */
    static String refusal(String agentArgument) {
        List<String> wrong = new ArrayList<>();
        Map<String, String> given = parse(agentArgument, wrong);
        wrong.addAll(new Options(new OptionValues(given, Collections.<String, String>emptyMap())).refused());
        return wrong.isEmpty() ? null : wrong.get(0);
    }

    /** Options of an agent ({@code key=value,key=value}, may be null or empty), before any jar is linked. */
    static Options of(String agentArgument) {
        warnOfUnknownProperties();
        return new Options(new OptionValues(parse(agentArgument), Collections.<String, String>emptyMap())).warned();
    }

    /** The same with an agent that came later. */
    Options withAgent(String argument) {
        return new Options(new OptionValues(parse(argument), values.baked)).warned();
    }

    private static Map<String, String> parse(String argument) {
        List<String> unknown = new ArrayList<>();
        Map<String, String> options = parse(argument, unknown);
        for (String sentence : unknown) {
            Notices.warn(sentence);
        }
        return options;
    }

    private static Map<String, String> parse(String argument, List<String> unknown) {
        Map<String, String> options = new LinkedHashMap<>();
        String text = argument == null ? "" : argument.trim();
        for (String pair : text.isEmpty() ? new String[0] : text.split(",")) {
            int equals = pair.indexOf('=');
            String key = (equals < 0 ? pair : pair.substring(0, equals)).trim();
            if (KEYS.contains(key)) {
                options.put(key, equals < 0 ? "true" : pair.substring(equals + 1).trim());
            } else {
                unknown.add("unknown option \"" + key + "\"; the options are " + String.join(", ", KEYS));
            }
        }
        return options;
    }

    /** The same with what the rewriter baked into a jar, which counts least. */
    Options with(Map<String, String> bakedOptions) {
        for (String key : bakedOptions.keySet()) {
            if (!KEYS.contains(key)) {
                Notices.warn("unknown option \"" + key + "\" in a rewritten jar; this runtime is too old for it");
            }
        }
        return new Options(new OptionValues(values.agent, bakedOptions)).warned();
    }

    private static void warnOfUnknownProperties() {
        try {
            for (String name : System.getProperties().stringPropertyNames()) {
                if (name.startsWith(OptionValues.PREFIX) && !KEYS.contains(name.substring(OptionValues.PREFIX.length()))) {
                    Notices.warn("unknown option -D" + name + "; the options are " + String.join(", ", KEYS));
                }
            }
        } catch (SecurityException hidden) {
            // Then properties cannot set options either.
        }
    }

    private AgeBuckets ageBuckets() {
        for (String value : values.sources("ages")) {
            AgeBuckets buckets = value == null ? null : AgeBuckets.parse(value);
            if (buckets != null) {
                return buckets;
            }
            values.senseless("ages", value, "lower bounds joined by ;, rising from 0");
        }
        return AgeBuckets.parse(AgeBuckets.DEFAULT);
    }
}
