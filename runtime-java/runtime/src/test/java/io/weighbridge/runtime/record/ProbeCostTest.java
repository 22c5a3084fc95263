package io.weighbridge.runtime.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.TestJar;
import org.junit.jupiter.api.Test;

final class ProbeCostTest {
    static final class Made {
    }

    @Test
    void timingTheProbesChangesNoCount() {
        TestJar jar = new TestJar().live(Made.class).link();
        for (int i = 0; i < 20; i++) {
            jar.live(new Made(), Made.class, 0);
        }
        long[] before = TestJar.registry().allocated();
        assertTrue(ProbeCost.estimateNs(TestJar.registry(), 1_000_000_000, 1_000_000) > 0);
        long[] after = TestJar.registry().allocated();
        assertEquals(20, jar.allocated(0));
        assertEquals(before[0], after[0]);
    }
}
