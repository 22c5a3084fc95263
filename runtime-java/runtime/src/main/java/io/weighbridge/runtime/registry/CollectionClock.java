package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.jvm.Cleared;
import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.probe.Budget;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * Time, counted in collections.
 *
 * <p>A weak sentinel wakes the ticking thread when a collection has cleared it; the collectors' beans say how many there
 * were. There is a new sentinel after each wake-up. A collection that promotes a weak reference keeps its object, and an old
 * sentinel would not be cleared before the old generation is collected.
 *
 * <p>Without {@code java.management} every tick counts as one young collection. The clock lags until the ticking thread runs,
 * so the age of an object that was born right after a collection may be one too high. Generational ZGC clears weak references
 * in major collections only; there the beans are asked at every wake-up.
 */
public final class CollectionClock {
    /** Guarded by the sweep's lock. */
    private int young;
    private int full;
    private boolean begun;
    private boolean unswept;
    /** The sentinel was found cleared, and the beans count no collection for it, or none yet. */
    private boolean ahead;
    private final AgeRanges ranges = new AgeRanges(AgeRanges.MOST);
    /** The last full marking that is known. */
    public final Markings markings = new Markings();
    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    private volatile Reference<Object> sentinel;
    private static final int ATTEMPTS = 2;
    private boolean collecting;

    /** Waits until a collection is seen or the time is up; true in the first case. For the ticking thread. */
    public boolean await(long millis) throws InterruptedException {
        if (sentinel == null) {
            start();
        }
        boolean cleared = queue.remove(Math.max(1, millis)) != null;
        sentinel = null; // if the heap has no room for the next one, the next call tries again
        start();
        return cleared;
    }

    /** Moves the clock to what the beans say; true if a collection was seen that no sweep has followed yet. Call under the sweep's lock. */
    public boolean tick(boolean sentinelCleared) {
        CollectorBeans b = Management.collectors();
        int y = b == null ? young + (sentinelCleared ? 1 : 0) : b.youngCount();
        int f = b == null ? full : b.fullCount();
        boolean moved = y != young || f != full;
        young = y;
        full = f;
        if (!begun) {
            // One collection may have run since the start; others count as earlier ones.
            Reference<Object> first = sentinel;
            int passed = sentinelCleared || first != null && Cleared.is(first) ? 1 : 0;
            ranges.begin(f > 0 ? y : y - passed, f > 0 ? f - passed : f);
            moved |= passed > 0;
        } else if (moved) {
            ranges.append(Budget.numbers(), y, f);
        }
        begun = true;
        if (b != null) {
            markings.look(Budget.numbers(), y, f, b.hidesMarkings());
            if (b.fullCount() != f) {
                markings.doubt();
            }
        }
        // The beans decide: a sentinel that is found cleared after they were asked belongs to a collection counted already.
        unswept |= b == null ? sentinelCleared : moved;
        ahead = sentinelCleared && !moved;
        return unswept;
    }

    /** A collection was seen that the beans have not counted yet: ask again soon. */
    public boolean isAhead() {
        return ahead;
    }

    /** A sweep has taken notice of every collection seen. */
    void swept() {
        unswept = false;
    }

    /** Young collections seen. */
    public int young() {
        return young;
    }

    /** Full collections seen. */
    public int full() {
        return full;
    }

    AgeRanges ranges() {
        return ranges;
    }

    /** Arms a sentinel; first at the runtime's start. Cheap: the beans are asked later. */
    public void start() {
        sentinel = new WeakReference<>(new Object(), queue);
    }

    /**
     * Asks for a full collection and checks that it happened: an object without references is gone and, where the collectors
     * count, one more full collection has been counted. {@code System.gc()} may be ignored
     * ({@code -XX:+DisableExplicitGC}) or run beside the program ({@code -XX:+ExplicitGCInvokesConcurrent}). It is asked
     * {@link #ATTEMPTS} times, and each time waited for, before it counts as ignored.
     */
    public static boolean collect(long waitMillis) {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            if (collectOnce(waitMillis)) {
                return true;
            }
        }
        return false;
    }

    /** A collection that was asked for is under way: before JDK 16 a sweep would keep garbage alive that a collector is marking. */
    public boolean isCollecting() {
        return collecting;
    }

    void collecting(boolean begins) {
        collecting = begins;
    }

    private static boolean collectOnce(long waitMillis) {
        CollectorBeans b = Management.collectors();
        int before = b == null ? 0 : b.fullCount();
        WeakReference<Object> canary = new WeakReference<>(new Object());
        System.gc();
        long deadline = System.nanoTime() + waitMillis * 1_000_000;
        while (!Cleared.is(canary) || b != null && b.fullCount() == before) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            try {
                Thread.sleep(5);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
