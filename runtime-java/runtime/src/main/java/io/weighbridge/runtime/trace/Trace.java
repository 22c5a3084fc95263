package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.contract.TraceContract;
import io.weighbridge.runtime.record.Json;

/**
 * One trace of a run: what its probes tell it. A probe site is a method, a line or a class; the agent knows their names.
 *
 * <p>The calls from probes come on any thread of the program. They never wait for one another for long, and what they throw is
 * swallowed by the class that the probes call.
 */
public abstract class Trace {
    /** Probe sites that a trace can have. */
    static final int MOST_PROBE_SITES = 1 << TraceContract.PROBE_BITS;
    static final int PAGE = 1 << TraceContract.PAGE_BITS;

    private static final int BATCHES = 20;
    private static final int BATCH = 1000;

    final Filter filter;

    Trace(Filter filter) {
        this.filter = filter;
    }

    /** A method is entered; gives a number that is not 0 if {@link #leave} is to be told. */
    long enter(int site) {
        return 0;
    }

    /** The method that is entered next has this argument, or null. */
    void argument(Object object) {
    }

    /** A call for which {@link #enter} gave this number ends. */
    void leave(int site, long call, boolean thrown) {
    }

    /** A method that opens scopes is entered, with an object that tells them, or null. Gives what {@link #enter} does. */
    long opened(Object object, int entry) {
        return 0;
    }

    /** Whether the ends of calls that are open must reach it after its own end. */
    boolean hearsEnds() {
        return false;
    }

    /** An object is complete; {@code copied}: by {@code Object.clone}, and maybe of a class below that of the site. */
    void made(Object object, int site, boolean copied) {
    }

    /** An object is used: a method of it is entered, or one of its fields is read or written. */
    void used(Object object, int site) {
    }

    /** The classes that are loaded have the probes. */
    public void probed() {
    }

    /** Where sites are marked that are reached; null unless this trace is of them. */
    boolean[][] pages() {
        return null;
    }

    /** A site is reached whose page does not exist. */
    void missing(int site) {
    }

    /** What is traced, as clients name it. */
    public abstract String what();

    /** How often a probe has recorded something. -1: not known. */
    public abstract long events();

    /** What one costs, in nanoseconds, without the question of the filter; measured lately. -1: not known. */
    public abstract long nanosPerEvent();

    /** The nanoseconds that a deed takes: of some batches the fastest, for the first ones are not compiled. */
    static long fastest(Runnable deed) {
        long fastest = Long.MAX_VALUE;
        for (int batch = 0; batch < BATCHES; batch++) {
            long start = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                deed.run();
            }
            fastest = Math.min(fastest, (System.nanoTime() - start) / BATCH);
        }
        return fastest;
    }

    /**
     * Leaves out what happens most, so that this part of what was recorded since the last call would have been recorded.
     *
     * @return false if it cannot: it has to end
     */
    public boolean thin(double part) {
        return false;
    }

    /** Looks after what may wait; once a second. */
    public void tick() {
    }

    /** Nothing is recorded any more. */
    public void end() {
    }

    /** What it has found is not asked for any more. */
    public void forget() {
    }

    /** Writes what it has, as fields of an open object. */
    public abstract void describe(Json json);
}
