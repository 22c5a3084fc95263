package io.weighbridge.runtime.control;

import io.weighbridge.runtime.contract.RuntimeOptions;
import io.weighbridge.runtime.probe.NamePattern;
import io.weighbridge.runtime.shortage.Policy;
import java.util.ArrayList;
import java.util.List;

/** The options of the control on memory shortage (docs/configuration.md, {@code [shortage]}). */
final class ShortageOptions {
    private ShortageOptions() {
    }

    /** Of a mode that is not {@code off}. */
    static Policy policy(String mode, OptionValues options) {
        Policy policy = new Policy();
        policy.observes = mode.equals("observe");
        policy.oldGeneration = options.percent(RuntimeOptions.SHORTAGE_OLD_GENERATION);
        boolean isUnlimited = "off".equals(options.given(RuntimeOptions.SHORTAGE_ALLOCATION));
        policy.allocation = isUnlimited ? 0 : options.size(RuntimeOptions.SHORTAGE_ALLOCATION, 0);
        policy.container = options.percent(RuntimeOptions.SHORTAGE_CONTAINER);
        policy.exhausted = options.flag(RuntimeOptions.SHORTAGE_EXHAUSTED);
        policy.by = by(options.choice(RuntimeOptions.SHORTAGE_BY));
        boolean exact = options.choice(RuntimeOptions.SHORTAGE_MEASURE).equals("exact");
        policy.analyser = exact ? options.text(RuntimeOptions.SHORTAGE_ANALYSER) : null;
        policy.leastIsPercent = options.text(RuntimeOptions.SHORTAGE_LEAST).endsWith("%");
        policy.least = policy.leastIsPercent ? options.percent(RuntimeOptions.SHORTAGE_LEAST)
                : options.size(RuntimeOptions.SHORTAGE_LEAST, 0);
        policy.variableFrame = options.choice(RuntimeOptions.SHORTAGE_FRAME).equals("variable");
        policy.threads = options.texts(RuntimeOptions.SHORTAGE_THREADS);
        policy.scopes = options.texts(RuntimeOptions.SHORTAGE_SCOPES);
        policy.methods = options.texts(RuntimeOptions.SHORTAGE_METHODS);
        policy.gates = options.texts(RuntimeOptions.SHORTAGE_ADMIT);
        policy.retries = options.texts(RuntimeOptions.SHORTAGE_RETRY);
        policy.interrupts = options.flag(RuntimeOptions.SHORTAGE_INTERRUPT);
        policy.forces = options.flag(RuntimeOptions.SHORTAGE_FORCE);
        policy.fixed = patterns(options.text(RuntimeOptions.SHORTAGE_FIXED).split(";"));
        policy.waitMs = options.duration(RuntimeOptions.SHORTAGE_WAIT);
        policy.perMinute = options.number(RuntimeOptions.SHORTAGE_PER_MINUTE);
        policy.admitWaitMs = options.duration(RuntimeOptions.SHORTAGE_ADMIT_WAIT);
        policy.onlyByAgent = onlyByAgent(policy, options);
        return policy;
    }

    /** What only the native agent can do, of what was asked for; {@code shortage_exhausted} is on by default. */
    private static String onlyByAgent(Policy policy, OptionValues options) {
        List<String> names = new ArrayList<>();
        add(names, RuntimeOptions.SHORTAGE_ADMIT.key, policy.gates.length > 0);
        add(names, RuntimeOptions.SHORTAGE_CONTAINER.key, policy.container > 0);
        add(names, RuntimeOptions.SHORTAGE_EXHAUSTED.key, policy.exhausted && options.given(RuntimeOptions.SHORTAGE_EXHAUSTED) != null);
        add(names, RuntimeOptions.SHORTAGE_FORCE.key, policy.forces);
        add(names, RuntimeOptions.SHORTAGE_MEASURE.key + "=exact", policy.analyser != null);
        add(names, RuntimeOptions.SHORTAGE_METHODS.key, policy.methods.length > 0);
        add(names, RuntimeOptions.SHORTAGE_RETRY.key, policy.retries.length > 0);
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
