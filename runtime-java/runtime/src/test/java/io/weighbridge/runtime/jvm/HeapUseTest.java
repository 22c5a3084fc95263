package io.weighbridge.runtime.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HeapUseTest {
    /** A heap of which 10 bytes are used. It has these sizes one after the other, each for one question, the last one for good. */
    private static HeapUse.Heap heap(long... sizes) {
        return new HeapUse.Heap() {
            private int asked;

            private long next() {
                return sizes[Math.min(asked++, sizes.length - 1)];
            }

            @Override
            long committed() {
                return next();
            }

            @Override
            long free() {
                return next() - 10;
            }
        };
    }

    @Test
    void aHeapThatGrowsBetweenTheQuestionsIsAskedAgain() {
        assertEquals(10, HeapUse.used(heap(100)));
        assertEquals(10, HeapUse.used(heap(100, 250)));
        assertEquals(10, HeapUse.used(heap(100, 100, 250)));
        assertEquals(10, HeapUse.used(heap(100, 250, 100)));
        assertEquals(10, HeapUse.used(heap(100, 80, 60, 40)));
    }

    @Test
    void aHeapThatGrowsForeverIsAskedSomeTimes() {
        assertEquals(0, HeapUse.used(new HeapUse.Heap() {
            private long size = 100;

            @Override
            long committed() {
                return size;
            }

            @Override
            long free() {
                size *= 2;
                return size;
            }
        }));
    }

    @Test
    void theHeapOfThisJvmIsUsed() {
        assertTrue(HeapUse.used() > 0);
        assertTrue(HeapUse.left() < Runtime.getRuntime().maxMemory());
    }
}
