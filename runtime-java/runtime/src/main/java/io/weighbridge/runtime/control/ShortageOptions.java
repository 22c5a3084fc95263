package io.weighbridge.runtime.control;

import io.weighbridge.runtime.probe.NamePattern;
import io.weighbridge.runtime.shortage.Policy;
import java.util.ArrayList;
import java.util.List;

/** The options of the control on memory shortage (docs/configuration.md, {@code [shortage]}). */
final class ShortageOptions {
    static final String[] MODES = {"observe", "act"};

    private ShortageOptions() {
    }

    /** Of a mode that is not {@code off}. */
    static Policy policy(String mode, OptionValues options) {
        Policy policy = new Policy();
        policy.observes = mode.equals("observe");
        policy.oldGeneration = options.percent("shortage_old_generation", policy.oldGeneration);
        policy.allocation = options.text("shortage_allocation", "off").equals("off") ? 0 : options.size("shortage_allocation", 0);
        policy.container = options.percent("shortage_container", policy.container);
        policy.exhausted = options.flag("shortage_exhausted", policy.exhausted);
        policy.by = by(options.choice("shortage_by", "allocated", "proprietary", "releasable", "oldest", "priority"));
        boolean exact = options.choice("shortage_measure", "cheap", "exact").equals("exact");
        policy.analyser = exact ? options.text("shortage_analyser", null) : null;
        String least = options.text("shortage_least", policy.least + "%");
        policy.leastIsPercent = least.endsWith("%");
        policy.least = policy.leastIsPercent ? options.percent("shortage_least", (int) policy.least)
                : options.size("shortage_least", 0);
        policy.variableFrame = options.choice("shortage_frame", "any", "variable").equals("variable");
        policy.threads = options.texts("shortage_threads");
        policy.scopes = options.texts("shortage_scopes");
        policy.methods = options.texts("shortage_methods");
        policy.gates = options.texts("shortage_admit");
        policy.retries = options.texts("shortage_retry");
        policy.interrupts = options.flag("shortage_interrupt", policy.interrupts);
        policy.forces = options.flag("shortage_force", policy.forces);
        policy.fixed = patterns(options.text("shortage_fixed", Policy.FIXED).split(";"));
        policy.waitMs = options.duration("shortage_wait", policy.waitMs);
        policy.perMinute = options.number("shortage_per_minute", policy.perMinute, 1, 600);
        policy.admitWaitMs = options.duration("shortage_admit_wait", policy.admitWaitMs);
        policy.onlyByAgent = onlyByAgent(policy, options);
        return policy;
    }

    /** What only the native agent can do, of what was asked for; {@code shortage_exhausted} is on by default. */
    private static String onlyByAgent(Policy policy, OptionValues options) {
        List<String> names = new ArrayList<>();
        add(names, "shortage_admit", policy.gates.length > 0);
        add(names, "shortage_container", policy.container > 0);
        add(names, "shortage_exhausted", policy.exhausted && options.text("shortage_exhausted", null) != null);
        add(names, "shortage_force", policy.forces);
        add(names, "shortage_measure=exact", policy.analyser != null);
        add(names, "shortage_methods", policy.methods.length > 0);
        add(names, "shortage_retry", policy.retries.length > 0);
        return String.join(", ", names);
    }

    private static void add(List<String> names, String name, boolean isAsked) {
        if (isAsked) {
            names.add(name);
        }
    }

    private static Policy.By by(String text) {
        switch (text) {
            case "allocated":
                return Policy.By.ALLOCATED;
            case "oldest":
                return Policy.By.OLDEST;
            case "priority":
                return Policy.By.PRIORITY;
            default:
                return Policy.By.HELD;
        }
    }

    private static NamePattern[] patterns(String[] texts) {
        NamePattern[] patterns = new NamePattern[texts.length];
        for (int i = 0; i < texts.length; i++) {
            patterns[i] = new NamePattern(texts[i]);
        }
        return patterns;
    }
}
