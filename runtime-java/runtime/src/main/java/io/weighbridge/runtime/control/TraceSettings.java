package io.weighbridge.runtime.control;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.contract.TraceContract;
import io.weighbridge.runtime.contract.TraceWords;
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
    /** 0: until it is stopped. */
    long forMs;
    /** Percent of the program's CPU time; 0: whatever it takes, which 100 stands for, too. */
    double maxCpu;
    /** No stop for the run is meant to be longer. */
    long pauseNs = PauseBudget.granted();
    private long slowerNs;
    private int trees = TraceContract.DEFAULT_CALLS;
    private int frames = TraceContract.DEFAULT_FRAMES;
    private int everyBytes = TraceContract.DEFAULT_EVERY;
    private String threads;
    private final List<String[]> scopes = new ArrayList<>();
    private final List<String> entries = new ArrayList<>();
    /** By their numbers. */
    final Map<Integer, Trace> traces = new TreeMap<>();
    private final List<String> asked = new ArrayList<>();

    /**
     * Of the words of a request: one of {@link TraceWords}, {@code =} and its value each. The agent has checked them.
     */
    TraceSettings(List<String> words) {
        for (String word : words) {
            int equals = word.indexOf('=');
            String value = word.substring(equals + 1);
            switch (word.substring(0, equals)) {
                case TraceWords.FOR_MS:
                    forMs = Long.parseLong(value);
                    break;
                case TraceWords.MAX_CPU:
                    maxCpu = Double.parseDouble(value) % 100;
                    break;
                case TraceWords.PAUSE_MS:
                    pauseNs = PauseBudget.nanos(Long.parseLong(value));
                    break;
                case TraceWords.SLOWER_NS:
                    slowerNs = Long.parseLong(value);
                    break;
                case TraceWords.MOST:
                    trees = Integer.parseInt(value);
                    break;
                case TraceWords.FRAMES:
                    frames = Integer.parseInt(value);
                    break;
                case TraceWords.EVERY:
                    everyBytes = Integer.parseInt(value);
                    break;
                case TraceWords.THREAD:
                    threads = value;
                    break;
                case TraceWords.ENTRY:
                    entries.add(value);
                    break;
                case TraceWords.SCOPE:
                    scopes.add(value.split("=", 2));
                    break;
                case TraceWords.TRACE:
                    String[] pair = value.split("=", 2);
                    int number = Integer.parseInt(pair[0]);
                    traces.put(number, trace(pair[1], number));
                    break;
                case TraceWords.CLASS:
                case TraceWords.EXCEPT:
                case TraceWords.METHOD:
                    asked.add(word);
                    break;
                default:
                    throw new IllegalArgumentException("no setting of a trace is called " + word);
            }
        }
    }

    private Trace trace(String what, int number) {
        Filter filter = new Filter(scopes, threads);
        switch (what) {
            case TraceContract.METHODS:
                return new MethodCounts(filter);
            case TraceContract.CALLS:
                return new CallTrees(filter, slowerNs, trees);
            case TraceContract.COVERAGE:
                return new Coverage();
            case TraceContract.OBJECTS:
                return new ObjectLives(filter, number, frames);
            case TraceContract.USES:
                return new ObjectUses(filter, number, frames, pauseNs);
            case TraceContract.REFERENCES:
                return new AgentTrace(what, () -> NativeMethods.watchReferences(number, frames),
                        () -> NativeMethods.watchReferences(number, 0));
            case TraceContract.SAMPLES:
                return new AgentTrace(what, () -> NativeMethods.sampleAllocations(number, frames, everyBytes),
                        () -> NativeMethods.sampleAllocations(number, 0, 0));
            case TraceContract.SCOPES:
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
