package io.weighbridge.runtime.registry;

import java.util.Arrays;

/**
 * The ages of all registered objects, kept as boundaries: registrations are numbered, and each collection that
 * the clock sees ends one range of numbers and begins the next.
 *
 * <p>All objects of a range have the same age. So an object costs only its number, a collection costs nothing for it, and a
 * query is a binary search. A range without registrations is not kept. Past {@link #MOST} ranges the older half is joined
 * two by two; an object there then may look younger than it is, by the collections between the joined boundaries. Guarded by
 * the sweep's lock.
 */
final class AgeRanges {
    /** 16 bytes each. */
    static final int MOST = 4096;
    private final int most;
    /** First number of each range, ascending; a range ends where the next one starts. */
    private long[] starts = new long[16];
    /** Collections that the clock had seen when the range began. */
    private int[] young = new int[16];
    private int[] full = new int[16];
    private int count = 1;

    AgeRanges(int most) {
        this.most = most;
    }

    /** Collections before the first registration are no object's age. */
    void begin(int youngSeen, int fullSeen) {
        young[0] = youngSeen;
        full[0] = fullSeen;
    }

    /** A collection was seen; numbers from {@code next} on are younger than it. */
    void append(long next, int youngSeen, int fullSeen) {
        if (starts[count - 1] < next) {
            if (count == most) {
                join();
            }
            if (count == starts.length) {
                starts = Arrays.copyOf(starts, count * 2);
                young = Arrays.copyOf(young, count * 2);
                full = Arrays.copyOf(full, count * 2);
            }
            starts[count++] = next;
        }
        young[count - 1] = youngSeen;
        full[count - 1] = fullSeen;
    }

    /** The newer of two joined ranges gives the counts: an age is never more than was survived. */
    private void join() {
        int half = count / 2;
        int to = 0;
        for (int i = 0; i < count; i++) {
            boolean joined = i < half && i % 2 == 1;
            to -= joined ? 1 : 0;
            long start = joined ? starts[to] : starts[i];
            starts[to] = start;
            young[to] = young[i];
            full[to++] = full[i];
        }
        count = to;
    }

    int count() {
        return count;
    }

    /** The range of a number, by binary search. */
    int find(long number) {
        int found = Arrays.binarySearch(starts, 0, count, number);
        return found >= 0 ? found : Math.max(0, -found - 2);
    }

    /** First number of a range. */
    long start(int range) {
        return starts[range];
    }

    /** First number after a range; {@link Long#MAX_VALUE} for the one that is still open. */
    long end(int range) {
        return range + 1 < count ? starts[range + 1] : Long.MAX_VALUE;
    }

    /** Young collections since a range began, when the clock has seen {@code now}. */
    int youngSince(int range, int now) {
        return now - young[range];
    }

    /** The same with full collections. */
    int fullSince(int range, int now) {
        return now - full[range];
    }
}
