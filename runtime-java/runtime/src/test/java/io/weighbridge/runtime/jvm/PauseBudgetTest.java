package io.weighbridge.runtime.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.jvm.PauseBudget.Stop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PauseBudgetTest {
    private static final Stop STOP = Stop.DUMP;

    /** Nanoseconds a byte, without the margin. */
    private static double learned(long bytes, double nsForByte) {
        PauseBudget.learn(STOP, bytes, (long) (bytes * nsForByte));
        return PauseBudget.rate(STOP) / PauseBudget.MARGIN;
    }

    @AfterEach
    void asAtFirst() {
        learned(1L << 40, STOP.guess / PauseBudget.MARGIN);
    }

    @Test
    void aLargeHeapTellsWhatAByteTakes() {
        assertEquals(3 * STOP.guess, learned(4L << 30, 3 * STOP.guess), 0.1 * STOP.guess);
        assertEquals(STOP.guess / 3, learned(4L << 30, STOP.guess / 3), 0.1 * STOP.guess);
    }

    @Test
    void aSmallHeapOnABusyMachineDoesNotForbidWhatComesLater() {
        assertTrue(learned(1 << 20, 20 * STOP.guess) < 2 * STOP.guess);
        assertTrue(learned(0, 0) <= STOP.guess);
    }
}
