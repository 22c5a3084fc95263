package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class StripeTest {
    /** A pair of cache lines, in elements. */
    private static final int LINES = 128 / Long.BYTES;

    @Test
    void countersKeepTheirDistanceFromWhatOtherThreadsReadAndWrite() {
        Stripe stripe = new Stripe(Thread.currentThread());
        for (int id : new int[] {0, 1, 7, 300}) {
            assertFalse(Stripe.counts(stripe.cells, id));
            while (!Stripes.room(stripe, id)) {
                stripe.countElsewhere();
            }
            assertTrue(stripe.count(id), "no gap has been drawn");
            assertTrue(Stripe.counts(stripe.cells, id));
            assertTrue(Stripe.cell(0) >= LINES, "behind the array's length, and what lies in front of it");
            int last = Stripe.classes(stripe.cells) - 1;
            assertTrue(Stripe.counts(stripe.cells, last) && !Stripe.counts(stripe.cells, last + 1));
            assertTrue(stripe.cells.length - (Stripe.cell(last) + 2) >= LINES, "before the next object");
        }
        for (int id : new int[] {0, 1, 7, 300}) {
            assertEquals(1, stripe.cells[Stripe.cell(id)], "kept while the counters grew");
        }
    }

    @Test
    void oneObjectOfAClassWithAHighIdIsNotWorthCountersForAllClassesBelow() {
        Stripe stripe = new Stripe(Thread.currentThread());
        assertTrue(Stripes.room(stripe, 20));
        int classes = Stripe.classes(stripe.cells);
        assertFalse(Stripes.room(stripe, 5_000));
        assertEquals(classes, Stripe.classes(stripe.cells));
        for (int i = 0; i < 5_000; i++) {
            stripe.countElsewhere();
        }
        assertTrue(Stripes.room(stripe, 5_000), "as many arrivals are");
        assertEquals(5_000, stripe.elsewhere());
        stripe.release();
    }
}
