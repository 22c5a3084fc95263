package io.weighbridge.runtime.shortage;

/** Why memory is short. */
final class Cause {
    static final String OLD_GENERATION = "old_generation";
    static final String ALLOCATION = "allocation";
    static final String CONTAINER = "container";
    static final String EXHAUSTED = "exhausted";

    final String kind;
    /** Bytes in use, or a second. */
    final long used;
    /** What is allowed. */
    final long limit;
    /** When it was first seen. */
    final long seenNs;
    /** How long collections had paused the program by then. */
    final long pausesMs;

    Cause(String kind, long used, long limit, long seenNs, long pausesMs) {
        this.kind = kind;
        this.used = used;
        this.limit = limit;
        this.seenNs = seenNs;
        this.pausesMs = pausesMs;
    }

    /** For people. */
    String text() {
        switch (kind) {
            case OLD_GENERATION:
                return "the old generation has " + mib(used) + " after a collection, " + mib(limit) + " are allowed";
            case ALLOCATION:
                return mib(used) + " a second are allocated, " + mib(limit) + " are allowed";
            case CONTAINER:
                return "the container uses " + mib(used) + ", " + mib(limit) + " are allowed";
            default:
                return "the heap is exhausted";
        }
    }

    /** Bytes for people, rounded down. */
    static String mib(long bytes) {
        return (bytes >> 20) + "." + ((bytes & (1 << 20) - 1) * 10 >> 20) + " MiB";
    }
}
