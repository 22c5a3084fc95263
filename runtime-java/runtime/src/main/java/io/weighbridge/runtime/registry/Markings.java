package io.weighbridge.runtime.registry;

import io.weighbridge.runtime.probe.Thinning;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * The last full marking of the heap that is known: a full collection, or a cycle of a concurrent collector. What was
 * registered before it began, and was not collected since, was reachable then. Younger collections say nothing of old
 * objects, so without a marking nobody knows which of them live.
 *
 * <p>Witnesses tell when one began: objects that nothing refers to, with the number that the next registration had when they
 * died. A marking that has cleared a witness began after it died. Two kinds are needed:
 * <ul>
 * <li>Young witnesses, for collections that the collectors' beans count as full. Any collection clears one, but it counts only
 *     if there was a full one after it.
 * <li>Old witnesses, for the cycles of G1, which no bean counts. These were held until they had survived so many young
 *     collections that they must be in the old generation. G1 may also collect one without a marking, when it evacuates the
 *     region of both the witness and its reference. So two of different regions must be cleared, and the marking is taken to
 *     have begun when the earlier one died.
 * </ul>
 *
 * <p>A walk holds what it visits, and a marking meanwhile finds all of that alive: it is no evidence. Guarded by the sweep's
 * lock.
 */
public final class Markings {
    /** No marking is known. */
    public static final long NONE = -1;
    /** Witnesses of one kind; when there are more, every second one is let go. */
    private static final int MOST = 32;
    /** Young collections after which an object is old: the mark word has four bits for them. */
    private static final int RIPE = 16;
    /** Young collections between two objects that ripen: so that they are promoted into different regions. */
    private static final int BETWEEN = 4;
    /** Cleared old witnesses that prove a marking. */
    private static final int PROOF = 2;
    /** The newest old witnesses, of which a marking that runs now may clear the first ones only. */
    private static final int NEWEST = 4;

    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    private final List<Witness> young = new ArrayList<>();
    private final List<Witness> old = new ArrayList<>();
    private final Deque<Ripening> ripening = new ArrayDeque<>();
    private long number = NONE;
    private long ns;
    /** The last moment at which it may have begun. */
    private long latest;
    private long latestNs;
    /** Markings found so far. */
    private int count;
    /** Walks that run. */
    private int held;

    /** An object that nothing refers to. */
    private static final class Witness extends WeakReference<Object> {
        final long number;
        final long ns;
        /** Full collections before it died. */
        final int full;
        boolean cleared;

        Witness(Object o, ReferenceQueue<Object> queue, long number, long ns, int full) {
            super(o, queue);
            this.number = number;
            this.ns = ns;
            this.full = full;
        }
    }

    /** An object that is held until it is old. */
    private static final class Ripening {
        final Object o = new Object();
        final int young;

        Ripening(int young) {
            this.young = young;
        }
    }

    /** The number of the first registration that may have come after the last marking had begun, or {@link #NONE}. */
    public long number() {
        return number;
    }

    /** When it began, by {@link System#nanoTime}: at this time or a little later. */
    public long ns() {
        return ns;
    }

    /** The number of the first registration that certainly came after it had begun. */
    long latest() {
        return latest;
    }

    /** When it had certainly begun. */
    public long latestNs() {
        return latestNs;
    }

    /** How many were found: distinguishes one from the next. */
    public int count() {
        return count;
    }

    /**
     * A marking is known that began at this time or later; registrations from {@code next} on may have come later, those from
     * {@code last} on have.
     */
    void found(long next, long atNs, long last, long lastNs) {
        boolean isLater = next > number || next == number && atNs > ns;
        if (held == 0 && isLater) {
            number = next;
            ns = atNs;
            latest = last;
            latestNs = lastNs;
            count++;
            keepApart();
        }
    }

    /** When the marking of this number began is known; false if it is not the last one. */
    public boolean began(long next, long atNs) {
        if (next != number) {
            return false;
        }
        ns = atNs;
        latestNs = atNs;
        return true;
    }

    /** References are not joined over the last marking, nor where the next one is likely to have begun. */
    private void keepApart() {
        int from = Math.max(0, old.size() - NEWEST);
        long[] numbers = new long[old.size() - from + 2];
        for (int i = from; i < old.size(); i++) {
            numbers[i - from] = old.get(i).number;
        }
        numbers[numbers.length - 2] = young.isEmpty() ? number : young.get(young.size() - 1).number;
        numbers[numbers.length - 1] = number;
        Arrays.sort(numbers);
        Thinning.keepApart(numbers);
    }

    /**
     * Looks what has been cleared, and lets new witnesses die. {@code next}: the number of the next registration;
     * {@code young}, {@code full}: collections so far; {@code hidesCycles}: the collector also marks without a full collection
     * that is counted.
     */
    void look(long next, int youngSeen, int fullSeen, boolean hidesCycles) {
        for (Reference<?> w = queue.poll(); w != null; w = queue.poll()) {
            ((Witness) w).cleared = true;
        }
        if (held > 0) {
            return;
        }
        long now = System.nanoTime();
        countedMarking(fullSeen, next, now);
        add(young, new Witness(new Object(), queue, next, now, fullSeen));
        if (hidesCycles) {
            hiddenMarking(fullSeen, next, now);
            ripen(next, now, youngSeen, fullSeen);
        }
        keepApart();
    }

    /** A full collection came between the count and the newest witness: that has died after it, perhaps. */
    void doubt() {
        if (!young.isEmpty()) {
            young.remove(young.size() - 1);
        }
    }

    /** A full collection that was counted after the newest witness that is gone. */
    private void countedMarking(int fullSeen, long next, long now) {
        for (int i = young.size() - 1; i >= 0; i--) {
            Witness w = young.get(i);
            if (w.cleared && w.full < fullSeen) {
                found(w.number, w.ns, next, now);
                young.subList(0, i + 1).clear();
                return;
            }
        }
    }

    /** A cycle that nobody counted: old witnesses are gone, and no full collection can have done that. */
    private void hiddenMarking(int fullSeen, long next, long now) {
        old.removeIf(w -> w.full < fullSeen);
        int gone = 0;
        for (int i = old.size() - 1; i >= 0; i--) {
            gone += old.get(i).cleared ? 1 : 0;
            if (gone == PROOF) {
                found(old.get(i).number, old.get(i).ns, next, now);
                old.removeIf(w -> w.cleared);
                return;
            }
        }
    }

    private void ripen(long next, long now, int youngSeen, int fullSeen) {
        while (!ripening.isEmpty() && youngSeen - ripening.peekFirst().young >= RIPE) {
            add(old, new Witness(ripening.removeFirst().o, queue, next, now, fullSeen));
        }
        if (ripening.isEmpty() || youngSeen - ripening.peekLast().young >= BETWEEN) {
            ripening.addLast(new Ripening(youngSeen));
        }
    }

    private static void add(List<Witness> witnesses, Witness w) {
        witnesses.add(w);
        if (witnesses.size() > MOST) {
            for (int i = MOST - 1; i > 0; i -= 2) {
                witnesses.remove(i);
            }
        }
    }

    /** A walk begins: it holds objects, once for each {@link #release}. */
    void hold() {
        held++;
    }

    /** A walk has ended. Markings that have begun before do not count. */
    void release() {
        held--;
        young.clear();
        old.clear();
    }

    boolean isHeld() {
        return held > 0;
    }

    /** All counts start at zero. */
    void forget() {
        number = NONE;
        young.clear();
        old.clear();
        ripening.clear();
    }
}
