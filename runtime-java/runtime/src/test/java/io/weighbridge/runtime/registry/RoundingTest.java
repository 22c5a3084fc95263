package io.weighbridge.runtime.registry;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.Seed;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RoundingTest {
    @Test
    void whoLostMostGetsTheRest() {
        assertArrayEquals(new long[] {3, 3, 4}, Rounding.parts(new double[] {1, 1, 1.2}, 10));
        assertArrayEquals(new long[] {0, 7, 0}, Rounding.parts(new double[] {0, 0.001, 0}, 7));
        assertArrayEquals(new long[] {0, 0}, Rounding.parts(new double[] {0, 0}, 7));
        assertArrayEquals(new long[] {1, 1, 0, 0}, Rounding.parts(new double[] {1, 1, 1, 1}, 2));
        assertArrayEquals(new long[0], Rounding.parts(new double[0], 7));
    }

    @Test
    void partsAddUpToTheWholeAndNoneIsFarFromItsShare() {
        Random random = new Random(Seed.get());
        for (int round = 0; round < 2000; round++) {
            double[] parts = new double[1 + random.nextInt(round % 10 == 0 ? 5000 : 50)];
            Arrays.setAll(parts, i -> random.nextInt(3) == 0 ? random.nextInt(9) : random.nextDouble() * random.nextInt(100_000));
            long whole = (long) (Math.pow(random.nextDouble(), 3) * 1e12);
            double sum = Arrays.stream(parts).sum();
            long[] rounded = Rounding.parts(parts, whole);
            assertEquals(sum == 0 ? 0 : whole, Arrays.stream(rounded).sum());
            for (int i = 0; i < parts.length && sum > 0; i++) {
                double share = parts[i] / sum * whole;
                assertTrue(rounded[i] >= 0 && Math.abs(rounded[i] - share) < 1.001, rounded[i] + " of " + share);
            }
        }
    }
}
