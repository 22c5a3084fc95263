package io.weighbridge.runtime.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ReserveTest {
    private static final long MIB = 1 << 20;

    @Test
    void aGroupIsASmallPartOfTheHeapUnlessTheCollectorFreesLargerOnes() {
        assertEquals(MIB, Reserve.bytes(256 * MIB, 0));
        assertEquals(2 * MIB, Reserve.bytes(8192 * MIB, 0), "at most");
        assertEquals(16 << 10, Reserve.bytes(1 << 20, 0), "at least");
        assertEquals(2 * MIB, Reserve.bytes(128 * MIB, MIB));
        assertEquals(64 * MIB, Reserve.bytes(65_536 * MIB, 32 * MIB));
        assertEquals(48 * MIB / 256, Reserve.bytes(48 * MIB, MIB), "no room for two regions");
    }
}
