package io.weighbridge.runtime.walk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MarksTest {
    @Test
    void marksAreThoseOfABitSet() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Marks marks = new Marks();
            BitSet known = new BitSet();
            int range = 1 << 1 + random.nextInt(18);
            for (int step = 0; step < 500; step++) {
                int index = random.nextInt(range);
                if (random.nextInt(3) > 0) {
                    marks.set(index);
                    known.set(index);
                } else {
                    marks.clear(index);
                    known.clear(index);
                }
                assertEquals(known.isEmpty(), marks.isEmpty());
                assertEquals(known.length() - 1, marks.last());
                int from = random.nextInt(range);
                assertEquals(known.nextSetBit(from), marks.next(from));
                assertEquals(known.previousSetBit(from - 1), marks.previous(from - 1));
            }
        }
    }
}
