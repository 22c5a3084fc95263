package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.record.Json;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/** A class and a stack by which objects of it were made. Its counters are used with the lock of it. */
final class AllocationSite {
    /** A life of less than a millisecond is in the first bucket; each further one is twice as long. */
    static final int BUCKETS = 32;
    /** From 0, in the order of their first objects. */
    final int number;
    /** The number of the class. */
    final int type;
    /** Innermost first; null for objects that were there before the trace. */
    final List<String> frames;
    /** Of one object. */
    final long bytes;
    private long made;
    private long died;
    private long livedMs;
    private long longestMs;
    private long notFollowed;
    private final long[] lives = new long[BUCKETS];
    /** Those that are followed and live, the oldest first: a ring through this one. */
    private final MadeObject ring = new MadeObject();

    AllocationSite(int number, int type, List<String> frames, long bytes) {
        this.number = number;
        this.type = type;
        this.frames = frames;
        this.bytes = bytes;
    }

    /** An object was made; {@code followed}: null if there is no room for it. */
    synchronized void made(MadeObject followed) {
        made++;
        if (followed == null) {
            notFollowed++;
        } else {
            followed.before(ring);
        }
    }

    /** An object was collected. */
    synchronized void died(MadeObject object, long nowNs) {
        if (!object.leave()) {
            return;
        }
        long ms = Math.max(0, nowNs - object.bornNs) / 1_000_000;
        died++;
        if (frames == null) {
            return;
        }
        livedMs += ms;
        longestMs = Math.max(longestMs, ms);
        lives[Math.min(BUCKETS - 1, Long.SIZE - Long.numberOfLeadingZeros(ms))]++;
    }

    /** Adds the oldest ones that live, so many at most. */
    synchronized void oldest(Collection<MadeObject> all, int most) {
        MadeObject object = ring.next();
        for (int i = 0; i < most && object != ring; i++, object = object.next()) {
            all.add(object);
        }
    }

    /** Visits those that live. */
    synchronized void each(Consumer<MadeObject> visitor) {
        for (MadeObject object = ring.next(); object != ring; object = object.next()) {
            visitor.accept(object);
        }
    }

    /** Nothing is followed any more. */
    synchronized void forget() {
        for (MadeObject object = ring.next(); object != ring; object = ring.next()) {
            object.leave();
            object.clear();
        }
    }

    /** Leaves the object open for more fields. */
    synchronized void describe(Json json) {
        List<String> texts = frames == null ? List.of("(there before the trace)") : frames;
        json.open().field("place", number).field("id", type).field("frames", texts).field("made", made)
                .field("bytes_each", bytes).field("died", died).field("live", made - died - notFollowed)
                .field("not_followed", notFollowed).field("lived_ms", livedMs).field("longest_ms", longestMs).array("lives");
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            if (lives[bucket] > 0) {
                json.open().field("below_ms", 1L << bucket).field("objects", lives[bucket]).close();
            }
        }
        json.end();
    }
}
