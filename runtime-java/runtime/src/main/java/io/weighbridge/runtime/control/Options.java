package io.weighbridge.runtime.control;

import io.weighbridge.runtime.contract.RuntimeOption;
import io.weighbridge.runtime.contract.RuntimeOptions;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.registry.AgeBuckets;
import io.weighbridge.runtime.shortage.Policy;
import java.util.ArrayList;
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
        enabled = values.flag(RuntimeOptions.ENABLED);
        destfile = values.text(RuntimeOptions.DESTFILE);
        dumpOnExit = values.flag(RuntimeOptions.DUMPONEXIT);
        intervalMs = values.duration(RuntimeOptions.INTERVAL);
        sessionId = values.text(RuntimeOptions.SESSIONID);
        String output = values.choice(RuntimeOptions.OUTPUT);
        records = !output.equals("none");
        writesFile = output.equals("file");
        jmx = values.flag(RuntimeOptions.JMX);
        references = values.number(RuntimeOptions.REFERENCES);
        cpuPercent = values.number(RuntimeOptions.CPU_PERCENT);
        pauseMs = values.duration(RuntimeOptions.PAUSE);
        collect = values.choice(RuntimeOptions.GC).equals("auto");
        soft = values.flag(RuntimeOptions.SOFT);
        holders = values.flag(RuntimeOptions.HOLDERS);
        reader = values.text(RuntimeOptions.READER);
        walkMemory = values.size(RuntimeOptions.WALK_MEMORY, 0);
        exclude = values.texts(RuntimeOptions.EXCLUDE);
        hubs = "none".equals(values.text(RuntimeOptions.HUBS)) ? new String[0] : values.texts(RuntimeOptions.HUBS);
        sites = values.number(RuntimeOptions.SITES);
        String mode = values.choice(RuntimeOptions.PEAK);
        peak = mode.equals("off") ? null : new PeakOptions(mode, values);
        String shortages = values.choice(RuntimeOptions.SHORTAGE);
        shortage = shortages.equals("off") ? null : ShortageOptions.policy(shortages, values);
        ages = ageBuckets();
        threads = values.texts(RuntimeOptions.THREADS);
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
            if (known(key)) {
                options.put(key, equals < 0 ? "true" : pair.substring(equals + 1).trim());
            } else {
                unknown.add("unknown option \"" + key + "\"; the options are " + RuntimeOption.names(RuntimeOptions.ALL));
            }
        }
        return options;
    }

    /** The same with what the rewriter baked into a jar, which counts least. */
    Options with(Map<String, String> bakedOptions) {
        for (String key : bakedOptions.keySet()) {
            if (!known(key)) {
                Notices.warn("unknown option \"" + key + "\" in a rewritten jar; this runtime is too old for it");
            }
        }
        return new Options(new OptionValues(values.agent, bakedOptions)).warned();
    }

    private static void warnOfUnknownProperties() {
        try {
            for (String name : System.getProperties().stringPropertyNames()) {
                if (name.startsWith(OptionValues.PREFIX) && !known(name.substring(OptionValues.PREFIX.length()))) {
                    Notices.warn("unknown option -D" + name + "; the options are " + RuntimeOption.names(RuntimeOptions.ALL));
                }
            }
        } catch (SecurityException hidden) {
            // Then properties cannot set options either.
        }
    }

    private static boolean known(String key) {
        return RuntimeOption.find(RuntimeOptions.ALL, key) != null;
    }

    private AgeBuckets ageBuckets() {
        for (String value : values.sources(RuntimeOptions.AGES)) {
            AgeBuckets buckets = value == null ? null : AgeBuckets.parse(value);
            if (buckets != null) {
                return buckets;
            }
            values.senseless(RuntimeOptions.AGES, value, "lower bounds joined by ;, rising from 0");
        }
        return AgeBuckets.parse(RuntimeOptions.AGES.otherwise);
    }
}
