package io.weighbridge.runtime.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.jvm.Cleared;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;

class MarkingsTest {
    private final Markings markings = new Markings();
    private int young;
    private int full;

    /** Looks until references that a collection has cleared are in the queue. */
    private void lookAfterCollection(long next) throws InterruptedException {
        for (int i = 0; i < 50; i++) {
            Thread.sleep(2);
            markings.look(next, young, full, false);
        }
    }

    private void collect() throws InterruptedException {
        WeakReference<Object> gone = new WeakReference<>(new Object());
        do {
            System.gc();
            Thread.sleep(5);
        } while (!Cleared.is(gone));
    }

    @Test
    void withoutAMarkingNothingIsKnown() {
        markings.look(5, young, full, false);
        assertEquals(Markings.NONE, markings.number());
    }

    @Test
    void aFullCollectionHasMarkedWhatWasRegisteredBeforeTheLastLook() throws InterruptedException {
        markings.look(5, young, full, false);
        markings.look(9, young, full, false);
        collect();
        full++;
        lookAfterCollection(12);
        assertEquals(9, markings.number());
    }

    @Test
    void aYoungCollectionIsNoMarking() throws InterruptedException {
        markings.look(5, young, full, false);
        collect();
        young++;
        lookAfterCollection(12);
        assertEquals(Markings.NONE, markings.number());
    }

    /** What began before says nothing of an object that died meanwhile: a concurrent collector leaves it. */
    @Test
    void aCollectionThatClearedNothingSinceTheLookIsNoMarking() throws InterruptedException {
        markings.look(5, young, full, false);
        full++;
        lookAfterCollection(12);
        assertEquals(Markings.NONE, markings.number());
    }

    @Test
    void aCollectionDuringAWalkIsNoMarking() throws InterruptedException {
        markings.look(5, young, full, false);
        markings.hold();
        collect();
        full++;
        lookAfterCollection(9);
        markings.release();
        lookAfterCollection(12);
        assertEquals(Markings.NONE, markings.number());
        collect();
        full++;
        lookAfterCollection(15);
        assertEquals(12, markings.number());
    }

    @Test
    void aCycleThatNobodyCountsIsSeenByTwoOldObjects() throws InterruptedException {
        for (; young < 24; young++) {
            markings.look(young, young, full, true);
        }
        collect();
        for (int i = 0; i < 50 && markings.number() == Markings.NONE; i++) {
            Thread.sleep(2);
            markings.look(30, young, full, true);
        }
        // Objects ripen at 16 and 20; the earlier one counts.
        assertEquals(16, markings.number());
    }

    @Test
    void manyLooksWithoutACollectionKeepFewWitnesses() throws InterruptedException {
        for (int next = 0; next < 100_000; next++) {
            markings.look(next, young, full, false);
        }
        collect();
        full++;
        lookAfterCollection(200_000);
        assertTrue(markings.number() > 90_000, () -> "only " + markings.number());
    }
}
