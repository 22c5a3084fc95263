package io.weighbridge.runtime.shortage;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What work of a tag needs, from what work with this tag had: own bytes of a scope where measurements have met it, else what it
 * allocated, which is more than it held. The 95th percentile of the last {@link #KEPT} pieces of work.
 */
final class Needs {
    private static final int KEPT = 128;
    private static final int MOST_TAGS = 1000;
    /** Before there are so many, nothing is said. */
    private static final int FEWEST = 3;
    private static final double PERCENTILE = 0.95;
    /** By {@code key=value}. */
    private final Map<String, Past> past = new ConcurrentHashMap<>();

    /** A piece of work has ended. */
    void ended(Work work) {
        long allocated = work.allocated();
        if (allocated >= 0) {
            add(work.gate == null ? work.name() : work.gate, allocated, false);
        }
    }

    /** A measurement has found own bytes of a tag, which so many pieces of work had. */
    void measured(List<String> tag, long ownBytes, int works) {
        if (works > 0) {
            add(tag.get(0) + "=" + tag.get(1), ownBytes / works, true);
        }
    }

    private void add(String name, long bytes, boolean own) {
        Past of = past.get(name);
        if (of == null && past.size() < MOST_TAGS) {
            of = past.computeIfAbsent(name, any -> new Past());
        }
        if (of != null) {
            (own ? of.own : of.allocated).add(bytes);
        }
    }

    /** Bytes that the next work of this tag needs; negative if nothing is known. */
    long of(String key, String value) {
        Past of = past.get(key + "=" + value);
        if (of == null) {
            return -1;
        }
        long own = of.own.percentile();
        return own >= 0 ? own : of.allocated.percentile();
    }

    private static final class Past {
        final Ring own = new Ring();
        final Ring allocated = new Ring();
    }

    private static final class Ring {
        private final long[] values = new long[KEPT];
        private int added;

        synchronized void add(long value) {
            values[added % KEPT] = value;
            added++;
        }

        synchronized long percentile() {
            int known = Math.min(added, KEPT);
            if (known < FEWEST) {
                return -1;
            }
            long[] sorted = Arrays.copyOf(values, known);
            Arrays.sort(sorted);
            return sorted[(int) Math.ceil(PERCENTILE * known) - 1];
        }
    }
}
