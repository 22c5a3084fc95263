package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.record.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A call and what it has called, of the methods that are traced. */
final class CallTree {
    final long nanos;
    private final String thread;
    private final long atMs;
    private final int[] sites;
    private final int[] callers;
    private final long[] begins;
    private final long[] lengths;
    private final boolean[] thrown;
    /** Names: a class would keep its loader. */
    private final List<List<String>> arguments;
    private final int more;

    /** Of calls that have just ended. */
    CallTree(OpenCalls calls, String thread, long atMs) {
        this.thread = thread;
        this.atMs = atMs;
        nanos = calls.lengths[0];
        sites = Arrays.copyOf(calls.sites, calls.size);
        callers = Arrays.copyOf(calls.callers, calls.size);
        begins = Arrays.copyOf(calls.begins, calls.size);
        lengths = Arrays.copyOf(calls.lengths, calls.size);
        thrown = Arrays.copyOf(calls.thrown, calls.size);
        arguments = new ArrayList<>(calls.size);
        for (int i = 0; i < calls.size; i++) {
            arguments.add(names(calls.arguments[i]));
        }
        more = calls.more;
    }

    private static List<String> names(Class<?>[] types) {
        if (types == null) {
            return null;
        }
        List<String> names = new ArrayList<>(types.length);
        for (Class<?> type : types) {
            names.add(type == null ? "null" : type.getTypeName());
        }
        return names;
    }

    /** Calls in the order of their beginnings; {@code level} says whose they are. */
    void describe(Json json) {
        int[] levels = new int[sites.length];
        json.open().field("thread", thread).field("at_ms", atMs).field("total_ns", nanos).field("more", more).array("calls");
        for (int i = 0; i < sites.length; i++) {
            levels[i] = callers[i] < 0 ? 0 : levels[callers[i]] + 1;
            json.open().field("id", sites[i]).field("level", levels[i]).field("after_ns", begins[i] - begins[0])
                    .field("total_ns", lengths[i]);
            if (thrown[i]) {
                json.field("thrown", true);
            }
            if (arguments.get(i) != null) {
                json.field("arguments", arguments.get(i));
            }
            json.close();
        }
        json.end().close();
    }
}
