package io.weighbridge.runtime.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.record.Stretch;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** On a clock that the test moves. */
final class SpacingTest {
    private static final long MS = 1_000_000;

    @Test
    void cheapMeasurementsComeAtTheirInterval() {
        Spacing spacing = new Spacing();
        spacing.interval(1000, 0);
        assertFalse(spacing.isDue(999 * MS, true));
        assertTrue(spacing.isDue(1000 * MS, true));
        spacing.measured(1000 * MS, 10 * MS, 5);
        assertFalse(spacing.isDue(1999 * MS, true));
        assertTrue(spacing.isDue(2000 * MS, true));
    }

    @Test
    void aMeasurementWaitsHalfItsIntervalForACollectionAndTheNextOneComesInStep() {
        Spacing spacing = new Spacing();
        spacing.interval(1000, 0);
        assertFalse(spacing.isDue(1499 * MS, false));
        assertEquals(1, spacing.waitMs(1499 * MS, 1000));
        assertTrue(spacing.isDue(1500 * MS, false));
        spacing.measured(1500 * MS, 10 * MS, 5);
        assertTrue(spacing.isDue(2000 * MS, true));
        spacing.measured(2000 * MS, 10 * MS, 5);
        assertFalse(spacing.isDue(2999 * MS, true));
    }

    @Test
    void expensiveMeasurementsAreSpacedSoThatTheyKeepToTheirShare() {
        for (int percent : new int[] {1, 5, 50, 100}) {
            Spacing spacing = new Spacing();
            spacing.interval(500, 0);
            Random random = new Random(7);
            long spent = 0;
            long first = 0;
            long now = 0;
            for (int measurements = 0; measurements < 1000; now += MS) {
                if (spacing.isDue(now, true)) {
                    first = first == 0 ? now : first;
                    long cost = (1 + random.nextInt(2000)) * MS;
                    spacing.measured(now, cost, percent);
                    spent += cost;
                    now += cost;
                    measurements++;
                    while (!spacing.isDue(now, true)) {
                        now += MS;
                    }
                    assertTrue(spent * 100 <= (now - first) * percent, percent + " %: " + spent + " of " + (now - first));
                }
            }
        }
    }

    @Test
    void anIntervalThatIsStretchedSaysByHowMuchAndWhy() {
        Spacing spacing = new Spacing();
        spacing.interval(1000, 0);
        spacing.measured(1000 * MS, 20 * MS, 2);
        assertNull(spacing.stretch(), "a measurement of 2 % of its interval is paid for in it");
        spacing.measured(2000 * MS, 400 * MS, 2);
        Stretch stretch = spacing.stretch();
        assertEquals(1000, stretch.intervalMs);
        assertEquals(20_000, stretch.stretchedMs);
        assertEquals(400, stretch.costMs);
        assertEquals(2, stretch.percent);
        assertFalse(spacing.isDue(21_999 * MS, true));
        assertTrue(spacing.isDue(22_000 * MS, true));
        spacing.measured(22_000 * MS, 5 * MS, 2);
        assertNull(spacing.stretch(), "cheap again");
    }

    @Test
    void withoutAnIntervalNothingIsEverDueAndTheWaitIsTheLongest() {
        Spacing spacing = new Spacing();
        spacing.interval(0, 5);
        assertFalse(spacing.isDue(Long.MAX_VALUE, true));
        assertEquals(1000, spacing.waitMs(99 * MS, 1000));
        spacing.interval(50, 0);
        assertEquals(45, spacing.waitMs(30 * MS, 1000));
    }
}
