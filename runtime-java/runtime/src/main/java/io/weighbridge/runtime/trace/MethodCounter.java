package io.weighbridge.runtime.trace;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Calls of one method: how many, how long together, the longest, and how many within each power of two of nanoseconds. Exact:
 * threads share a row only by chance of their hash, and add atomically.
 */
final class MethodCounter {
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int ROWS = 8;
    private static final int TOTAL = 0;
    private static final int LONGEST = 1;
    private static final int THROWN = 2;
    private static final int FIRST_BUCKET = 3;
    /** Calls of less than 128 ns are in the first one, of 73 minutes and more in the last. */
    static final int BUCKETS = 37;
    private static final int SHORTEST = 7;
    private static final int CELLS = FIRST_BUCKET + BUCKETS;

    /** Made when a thread of its hash comes first. */
    private final long[][] rows = new long[ROWS][];
    /** No call is counted any more: there were too many. */
    volatile boolean isOff;
    private long seen;
    private long lately;

    void add(long nanos, boolean thrown) {
        int at = System.identityHashCode(Thread.currentThread()) & ROWS - 1;
        long[] row = rows[at];
        if (row == null) {
            row = row(at);
        }
        long ignored = (long) CELL.getAndAdd(row, TOTAL, nanos);
        ignored = (long) CELL.getAndAdd(row, FIRST_BUCKET + bucket(nanos), 1L);
        if (thrown) {
            ignored = (long) CELL.getAndAdd(row, THROWN, 1L);
        }
        for (long longest = row[LONGEST]; nanos > longest; longest = (long) CELL.getVolatile(row, LONGEST)) {
            if (CELL.compareAndSet(row, LONGEST, longest, nanos)) {
                break;
            }
        }
    }

    private synchronized long[] row(int at) {
        if (rows[at] == null) {
            rows[at] = new long[CELLS];
        }
        return rows[at];
    }

    /** The bucket of a time. */
    static int bucket(long nanos) {
        int power = Long.SIZE - Long.numberOfLeadingZeros(nanos >> SHORTEST);
        return nanos < 0 ? 0 : Math.min(power, BUCKETS - 1);
    }

    /** The time that all calls of a bucket are below. */
    static long below(int bucket) {
        return 1L << SHORTEST + bucket;
    }

    long total() {
        return sum(TOTAL);
    }

    long thrown() {
        return sum(THROWN);
    }

    long longest() {
        long longest = 0;
        for (long[] row : rows) {
            longest = row == null ? longest : Math.max(longest, (long) CELL.getVolatile(row, LONGEST));
        }
        return longest;
    }

    long calls() {
        long calls = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            calls += within(bucket);
        }
        return calls;
    }

    /** Looks at the calls since it was called last. */
    void look() {
        long now = calls();
        lately = now - seen;
        seen = now;
    }

    /** The calls between the last two looks. */
    long lately() {
        return lately;
    }

    /** Calls in a bucket. */
    long within(int bucket) {
        return sum(FIRST_BUCKET + bucket);
    }

    private long sum(int cell) {
        long sum = 0;
        for (long[] row : rows) {
            sum += row == null ? 0 : (long) CELL.getVolatile(row, cell);
        }
        return sum;
    }
}
