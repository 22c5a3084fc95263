package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.record.Json;
import io.weighbridge.runtime.trace.AgentTrace;
import io.weighbridge.runtime.trace.CallTrees;
import io.weighbridge.runtime.trace.Coverage;
import io.weighbridge.runtime.trace.Filter;
import io.weighbridge.runtime.trace.MethodCounts;
import io.weighbridge.runtime.trace.ObjectLives;
import io.weighbridge.runtime.trace.ObjectUses;
import io.weighbridge.runtime.trace.ScopeEntries;
import io.weighbridge.runtime.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a run traces, and for how long. */
final class TraceSettings {
    private static final int FRAMES = 8;
    private static final int TREES = 100;
    private static final int EVERY_BYTES = 512 << 10;

    /** 0: until it is stopped. */
    long forMs;
    /** Percent of the program's CPU time; 0: whatever it takes, which 100 stands for, too. */
    double maxCpu;
    /** No stop for the run is meant to be longer. */
    long pauseNs = PauseBudget.granted();
    private long slowerNs;
    private int trees = TREES;
    private int frames = FRAMES;
    private int everyBytes = EVERY_BYTES;
    private String threads;
    private final List<String[]> scopes = new ArrayList<>();
    private final List<String> entries = new ArrayList<>();
    /** By their numbers. */
    final Map<Integer, Trace> traces = new TreeMap<>();
    private final List<String> asked = new ArrayList<>();

    /**
     * Of the words of a request: {@code key=value} each, and at the end {@code trace=NUMBER=WHAT}. The agent has checked them.
     */
    TraceSettings(List<String> words) {
        for (String word : words) {
            int equals = word.indexOf('=');
            String value = word.substring(equals + 1);
            switch (word.substring(0, equals)) {
                case "for_ms":
                    forMs = Long.parseLong(value);
                    break;
                case "max_cpu":
                    maxCpu = Double.parseDouble(value) % 100;
                    break;
                case "pause_ms":
                    pauseNs = PauseBudget.nanos(Long.parseLong(value));
                    break;
                case "slower_ns":
                    slowerNs = Long.parseLong(value);
                    break;
                case "most":
                    trees = Integer.parseInt(value);
                    break;
                case "frames":
                    frames = Integer.parseInt(value);
                    break;
                case "every":
                    everyBytes = Integer.parseInt(value);
                    break;
                case "thread":
                    threads = value;
                    break;
                case "entry":
                    entries.add(value);
                    break;
                case "scope":
                    scopes.add(value.split("=", 2));
                    break;
                case "trace":
                    String[] pair = value.split("=", 2);
                    int number = Integer.parseInt(pair[0]);
                    traces.put(number, trace(pair[1], number));
                    break;
                default:
                    asked.add(word);
                    break;
            }
        }
    }

    private Trace trace(String what, int number) {
        Filter filter = new Filter(scopes, threads);
        switch (what) {
            case "methods":
                return new MethodCounts(filter);
            case "calls":
                return new CallTrees(filter, slowerNs, trees);
            case "coverage":
                return new Coverage();
            case "objects":
                return new ObjectLives(filter, number, frames);
            case "uses":
                return new ObjectUses(filter, number, frames, pauseNs);
            case "references":
                return new AgentTrace(what, () -> NativeAgent.watchReferences(number, frames),
                        () -> NativeAgent.watchReferences(number, 0));
            case "samples":
                return new AgentTrace(what, () -> NativeAgent.sampleAllocations(number, frames, everyBytes),
                        () -> NativeAgent.sampleAllocations(number, 0, 0));
            case "scopes":
                return new ScopeEntries(entries, scopes);
            default:
                throw new IllegalArgumentException("no trace is called " + what);
        }
    }

    void describe(Json json) {
        List<String> texts = new ArrayList<>();
        for (String[] scope : scopes) {
            texts.add(scope[0] + "=" + scope[1]);
        }
        json.field("of", asked).field("scopes", texts).field("thread", threads).field("for_ms", forMs > 0, forMs)
                .field("max_cpu_permille", maxCpu > 0, Math.round(maxCpu * 10));
    }
}
