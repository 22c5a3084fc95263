package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ThinningTest {
    private static List<Tracked> thin(float[] weights, double target, Random random) {
        Thinning thinning = new Thinning(target, random);
        List<Tracked> left = new ArrayList<>();
        for (int i = 0; i < weights.length; i++) {
            Tracked t = thinning.add(new Tracked(i, weights[i], i, 0, null));
            if (t != null) {
                left.add(t);
            }
        }
        Tracked last = thinning.end();
        if (last != null) {
            left.add(last);
        }
        return left;
    }

    @Test
    void theSumOfWeightsStaysAndEachObjectKeepsItsOwnOnAverage() {
        long seed = Seed.get();
        Random random = new Random(seed);
        float[] weights = new float[40];
        double all = 0;
        for (int i = 0; i < weights.length; i++) {
            weights[i] = i % 5 == 0 ? 20 : 1 + random.nextInt(3);
            all += weights[i];
        }
        double[] given = new double[weights.length];
        int trials = 40_000;
        for (int trial = 0; trial < trials; trial++) {
            double sum = 0;
            for (Tracked t : thin(weights, 8, random)) {
                given[(int) t.number()] += t.weight;
                sum += t.weight;
            }
            assertEquals(all, sum, 1e-3, "seed " + seed);
        }
        for (int i = 0; i < weights.length; i++) {
            // A weight of 1 to 3 is 0 or up to 11: its mean has a standard error of 0.03.
            assertEquals(weights[i], given[i] / trials, 0.2, "object " + i + ", seed " + seed);
        }
    }

    @Test
    void neighboursAreJoinedSoThatEveryTimeOfBirthKeepsItsPart() {
        Random random = new Random(1);
        float[] ones = new float[1000];
        java.util.Arrays.fill(ones, 1);
        List<Tracked> left = thin(ones, 10, random);
        assertEquals(100, left.size());
        for (int i = 0; i < 100; i++) {
            assertEquals(i, left.get(i).number() / 10);
            assertEquals(10, left.get(i).weight);
        }
    }

    @Test
    void noReferenceStandsForObjectsOnBothSidesOfAMarking() {
        float[] ones = new float[1000];
        java.util.Arrays.fill(ones, 1);
        Thinning.keepApart(new long[] {-1, 105, 105, 107, 2000});
        List<Tracked> left;
        try {
            left = thin(ones, 10, new Random(3));
        } finally {
            Thinning.keepApart(new long[0]);
        }
        double[] sides = new double[3];
        for (Tracked t : left) {
            sides[t.number() < 105 ? 0 : t.number() < 107 ? 1 : 2] += t.weight;
        }
        assertArrayEquals(new double[] {105, 2, 893}, sides);
        assertEquals(101, left.size(), 1);
    }

    @Test
    void aHeavyReferenceBehindAMarkingLeavesTheBlockBeforeIt() {
        Thinning.keepApart(new long[] {3});
        List<Tracked> left;
        try {
            left = thin(new float[] {2, 2, 2, 50, 60, 3}, 20, new Random(4));
        } finally {
            Thinning.keepApart(new long[0]);
        }
        List<Float> weights = new ArrayList<>();
        left.forEach(t -> weights.add(t.weight));
        assertEquals(List.of(6f, 50f, 60f, 3f), weights);
    }

    @Test
    void theTargetLeavesAboutAsManyReferencesAsAsked() {
        Tracked[] references = new Tracked[3000];
        for (int i = 0; i < references.length; i++) {
            references[i] = new Tracked(i, 1 + i % 7, i, 0, null);
        }
        double target = Thinning.target(references, references.length, 1000);
        int left = thin(weights(references), target, new Random(2)).size();
        assertTrue(left <= 1010 && left > 700, left + " left");
    }

    private static float[] weights(Tracked[] references) {
        float[] weights = new float[references.length];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = references[i].weight;
        }
        return weights;
    }
}
