package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.record.Json;

/** A trace of what the agent itself sees, and adds to what is told of the trace. */
public final class AgentTrace extends Trace {
    private final String what;
    private final Runnable begin;
    private final Runnable end;

    /**
     * @param begin lets the agent begin
     * @param end lets it end
     */
    public AgentTrace(String what, Runnable begin, Runnable end) {
        super(Filter.EVERYBODY);
        this.what = what;
        this.begin = begin;
        this.end = end;
    }

    @Override
    public void probed() {
        begin.run();
    }

    @Override
    public void end() {
        end.run();
    }

    @Override
    public String what() {
        return what;
    }

    @Override
    public long events() {
        return -1;
    }

    @Override
    public long nanosPerEvent() {
        return -1;
    }

    @Override
    public void describe(Json json) {
        // The agent's part.
    }
}
