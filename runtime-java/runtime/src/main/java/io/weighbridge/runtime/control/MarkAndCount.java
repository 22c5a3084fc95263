package io.weighbridge.runtime.control;

import java.util.Locale;

/**
 * Decides when live bytes are worth counting, and knows what the counts prove (US 7,444,484).
 *
 * <p>Counting live bytes is expensive, counting allocated bytes is not. Live bytes grow by allocation only, so between
 * counts they are at most {@code Y + X}: the last count and what was allocated since. A collection that happens anyway
 * is a second bound: what it left, and what was allocated since. The lesser of the two is the {@link #bound}.
 *
 * <p>What holds of the true peak P and the greatest count R, where g is the largest number of bytes allocated between
 * two looks at {@link #mustCount} (0 if it is asked, and obeyed, at every allocation):
 * <ul>
 * <li>{@link Mode#PEAK_ONLY}: {@code R <= P <= R + g}. Counts whenever a new peak is possible.
 * <li>{@link Mode#PEAK_WITH_TOLERANCE}: {@code R <= P <= max(R, floor) + T + g}, with fewer counts than
 *     {@code total / T}, for each is at least T bytes after the one before.
 * <li>{@link Mode#THRESHOLD}: {@code R <= P <= R + T + g}; live bytes are at most T + g above the last count. How far
 *     they are below it is not known, for a death is no event.
 * <li>{@link Mode#INTERVAL}: only what the {@link #ceiling} says afterwards.
 * </ul>
 * In every mode {@code R <= P <= ceiling}, if the allocated bytes are not less than the true ones.
 *
 * <p>A count may leave live objects out ({@code wholeHeap} false: a walk counts what registered objects reach). Such counts
 * can grow without any allocation, when a registered object gets a reference to what was there before. The rows above are
 * then likely, not certain, and the ceiling follows from collections alone.
 *
 * <p>Two readings of the source miss peaks and are not here: that a lesser count lowers the peak, and that a collection sets
 * the total of allocated bytes to zero.
 *
 * <p>Plain arithmetic, no clock and no JVM; not safe for concurrent use. Bytes are not negative.
 */
final class MarkAndCount {
    /** When to count; the tolerance T is in bytes, of {@link #INTERVAL} in milliseconds. */
    enum Mode {
        /** Occupied bytes (left by the last collection and allocated since) exceed the peak. */
        PEAK_ONLY("peak-only"),
        /** More than T bytes were allocated since the last count. */
        THRESHOLD("threshold"),
        /** The bound exceeds the peak by more than T. */
        PEAK_WITH_TOLERANCE("peak-with-tolerance"),
        /** T milliseconds have passed since the last count. */
        INTERVAL("interval");

        final String text;

        Mode(String text) {
            this.text = text;
        }

        /** Of one of the texts. */
        static Mode of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
        }
    }

    private final Mode mode;
    private final long tolerance;
    private final boolean boundByCollections;
    private final boolean wholeHeap;
    /** Bytes allocated, live or dead. */
    long total;
    /** The last count. */
    long live;
    /** Bytes allocated since the last count. */
    long since;
    private long occupied;
    /** What {@link #mustCount} compares with: the greatest count, at least the floor. */
    long peak;
    /** The greatest count. */
    long greatest;
    /** Live bytes were never more than this. */
    long ceiling;
    long counts;
    private long countedAtMs;

    /**
     * {@code floor}: peaks below this many bytes are of no interest. {@code boundByCollections}: whether
     * {@link #collected} may spare counts; without it {@link Mode#PEAK_WITH_TOLERANCE} is what the source describes.
     * {@code wholeHeap}: a count leaves no live object out.
     */
    MarkAndCount(Mode mode, long tolerance, long floor, boolean boundByCollections, boolean wholeHeap, long nowMs) {
        this.mode = mode;
        this.tolerance = tolerance;
        this.boundByCollections = boundByCollections;
        this.wholeHeap = wholeHeap;
        peak = floor;
        countedAtMs = nowMs;
    }

    /** So many bytes were allocated since the last call. */
    void allocated(long bytes) {
        total += bytes;
        since += bytes;
        occupied += bytes;
        ceiling = Math.max(ceiling, wholeHeap ? bound() : occupied);
    }

    /** Before anything was told here, no more bytes than this were live. */
    void livedBefore(long most) {
        ceiling = Math.max(ceiling, most);
    }

    /**
     * A collection has left {@code left} bytes. Of the bytes that {@link #allocated} was told of, {@code allocatedAfter} came
     * after it; a caller that does not know gives all since a moment before the collection.
     */
    void collected(long left, long allocatedAfter) {
        occupied = left + allocatedAfter;
    }

    /** Whether to count now. The time matters to {@link Mode#INTERVAL} only. */
    boolean mustCount(long nowMs) {
        switch (mode) {
            case PEAK_ONLY:
                return occupied > peak;
            case THRESHOLD:
                return since > tolerance;
            case PEAK_WITH_TOLERANCE:
                return bound() > peak + tolerance;
            default:
                return nowMs - countedAtMs >= tolerance;
        }
    }

    /**
     * Live bytes were counted. {@code meanwhile}: what was allocated while counting, which {@link #allocated} is not told
     * of. Some of it may have come after the moment that the count shows. True if this is a new peak.
     */
    boolean counted(long bytes, long meanwhile, long nowMs) {
        allocated(meanwhile);
        counts++;
        countedAtMs = nowMs;
        live = bytes;
        since = meanwhile;
        greatest = Math.max(greatest, bytes);
        ceiling = Math.max(ceiling, bytes);
        boolean higher = bytes > peak;
        peak = Math.max(peak, bytes);
        return higher;
    }

    /** The most bytes that are live as of the last call. If counts leave objects out, this is likely, not certain. */
    long bound() {
        return boundByCollections ? Math.min(live + since, occupied) : live + since;
    }
}
