package io.weighbridge.runtime.probe;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The first two classes whose objects each class's methods copy, so that the probe of a copy finds the counter's address
 * by the maker's id, a constant where it is inlined, while it loads the copy's class to compare. From a table by the
 * class's identity hash it would have to wait for the class, the hash, the answer and its id, one after the other.
 *
 * <p>A place belongs to one class id for good, so that a class and an id read without a lock always belong together.
 * What stands there is held strongly, and is emptied with the tables of {@link NearestClass}. Makers whose ids are equal
 * modulo 1,024 share their places; classes for which there is none are looked up in those tables.
 */
public final class CopiedClasses {
    private static final int PLACES = 2048;
    /** Whose place it is; -1 as long as nobody's. */
    private static final int[] IDS = new int[PLACES];
    private static final Class<?>[] TYPES = new Class<?>[PLACES];

    static {
        Arrays.fill(IDS, -1);
    }

    private CopiedClasses() {
    }

    /** The first of a maker's two places; the other is next to it. */
    static int first(int maker) {
        return maker << 1 & PLACES - 1;
    }

    /** The class that stands in this place, or null: the first copies have still to come. */
    static Class<?> type(int place) {
        return TYPES[place];
    }

    /** The class id of this place, of a class that is tracked; or -1 if this thread does not see it yet. */
    static int id(int place) {
        return IDS[place];
    }

    /**
     * One of the maker's copies has this answer. Fills one of its places if any is empty: with {@code Void}, of which there
     * are no objects, if the place belongs to another id or the class is only counted, so that nobody tries again.
     */
    static synchronized void remember(NearestClass.Answer answer, int maker) {
        int first = first(maker);
        int second = first | 1;
        if (TYPES[first] == answer.type || TYPES[second] == answer.type) {
            return;
        }
        if (!fill(first, answer) && !fill(second, answer)) {
            if (TYPES[first] == null) {
                TYPES[first] = Void.class;
            } else if (TYPES[second] == null) {
                TYPES[second] = Void.class;
            }
        }
        // As in NearestClass: either the link that made the answer obsolete empties the places after this, or this sees it.
        VarHandle.fullFence();
        if (!answer.isCurrent()) {
            TYPES[first] = null;
            TYPES[second] = null;
        }
    }

    private static boolean fill(int place, NearestClass.Answer answer) {
        if (TYPES[place] != null || !answer.live || IDS[place] >= 0 && IDS[place] != answer.id) {
            return false;
        }
        IDS[place] = answer.id;
        VarHandle.releaseFence();
        TYPES[place] = answer.type;
        return true;
    }

    static void forget() {
        Arrays.fill(TYPES, null);
    }
}
