package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.record.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Each method's calls and their times. A time includes what the method calls; of a call within a call both are counted. */
public final class MethodCounts extends Trace {
    private final Pages<MethodCounter> counters = new Pages<>(site -> new MethodCounter());

    /** Of the calls that pass. */
    public MethodCounts(Filter filter) {
        super(filter);
    }

    @Override
    long enter(int site) {
        if (counters.at(site).isOff || !filter.passes()) {
            return 0;
        }
        return now();
    }

    @Override
    void leave(int site, long call, boolean thrown) {
        counters.at(site).add(System.nanoTime() - call, thrown);
    }

    /** A time that is not 0. */
    static long now() {
        long now = System.nanoTime();
        return now == 0 ? 1 : now;
    }

    @Override
    public String what() {
        return "methods";
    }

    @Override
    public long events() {
        long[] calls = new long[1];
        counters.each((counter, site) -> calls[0] += counter.calls());
        return calls[0];
    }

    /** On a counter of nobody's. */
    @Override
    public long nanosPerEvent() {
        MethodCounts own = new MethodCounts(Filter.EVERYBODY);
        return fastest(() -> own.leave(0, own.enter(0), false));
    }

    /** The methods that are called most are left out first. */
    @Override
    public boolean thin(double part) {
        List<MethodCounter> called = new ArrayList<>();
        counters.each((counter, site) -> {
            counter.look();
            if (counter.lately() > 0 && !counter.isOff) {
                called.add(counter);
            }
        });
        called.sort(Comparator.comparingLong(MethodCounter::lately).reversed());
        double most = part * called.stream().mapToLong(MethodCounter::lately).sum();
        long left = called.stream().mapToLong(MethodCounter::lately).sum();
        for (MethodCounter counter : called) {
            if (left <= most) {
                break;
            }
            counter.isOff = true;
            left -= counter.lately();
        }
        return true;
    }

    @Override
    public void describe(Json json) {
        json.array("methods");
        counters.each((counter, site) -> {
            long calls = counter.calls();
            if (calls == 0) {
                return;
            }
            json.open().field("id", site).field("calls", calls).field("thrown", counter.thrown())
                    .field("total_ns", counter.total()).field("longest_ns", counter.longest());
            if (counter.isOff) {
                json.field("left_out", true);
            }
            json.array("within");
            for (int bucket = 0; bucket < MethodCounter.BUCKETS; bucket++) {
                long within = counter.within(bucket);
                if (within > 0) {
                    json.open().field("below_ns", MethodCounter.below(bucket)).field("calls", within).close();
                }
            }
            json.end().close();
        });
        json.end();
    }
}
