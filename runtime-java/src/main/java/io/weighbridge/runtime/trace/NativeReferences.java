package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.record.Json;

/** Global references of JNI, created and freed by native code. The agent sees them, and adds them to what is told of the trace. */
public final class NativeReferences extends Trace {
    private final int number;
    private final int frames;

    /** As those of {@link ObjectLives#ObjectLives}. */
    public NativeReferences(int number, int frames) {
        super(Filter.EVERYBODY);
        this.number = number;
        this.frames = frames;
    }

    @Override
    public void probed() {
        NativeAgent.watchReferences(number, frames);
    }

    @Override
    public void end() {
        NativeAgent.watchReferences(number, 0);
    }

    @Override
    public String what() {
        return "references";
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
