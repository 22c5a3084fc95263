package io.weighbridge.runtime.walk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.weighbridge.runtime.Seed;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SmallSetsTest {
    private static final int MOST = 5;
    private static final int MANY = 20;

    private final SmallSets sets = new SmallSets(MOST, MANY);

    private int of(int... members) {
        return sets.intern(members);
    }

    @Test
    void moreThanTheMostMembersBecomeOneAndThoseAboveStay() {
        int five = of(1, 2, 3, 4, 5, 30);
        assertEquals(five, sets.union(five, of(2, 30)));
        int six = sets.union(five, of(0, 31));
        assertArrayEquals(new int[] {MANY, 30, 31}, sets.get(six));
        assertArrayEquals(new int[] {MANY, 30, 31}, sets.get(sets.union(six, of(7))));
        assertArrayEquals(new int[] {MANY, 30, 31, 40}, sets.get(sets.union(of(40), six)));
    }

    @Test
    void unionsAreThoseOfTheirMembersWhateverIsRemembered() {
        long seed = Seed.get();
        System.out.println("SmallSetsTest seed " + seed);
        Random random = new Random(seed);
        for (int trial = 0; trial < 20_000; trial++) {
            int[] a = members(random);
            int[] b = members(random);
            TreeSet<Integer> expected = new TreeSet<>();
            IntStream.concat(IntStream.of(a), IntStream.of(b)).forEach(expected::add);
            if (expected.headSet(MANY).size() > MOST || expected.contains(MANY)) {
                expected.headSet(MANY).clear();
                expected.add(MANY);
            }
            int union = sets.union(sets.intern(a), sets.intern(b));
            assertArrayEquals(expected.stream().mapToInt(Integer::intValue).toArray(), sets.get(union), "seed " + seed);
        }
    }

    private static int[] members(Random random) {
        int[] set = random.ints(random.nextInt(6), 0, 30).filter(n -> n != MANY).distinct().sorted().toArray();
        long below = IntStream.of(set).filter(n -> n < MANY).count();
        return below <= MOST ? set : new int[0];
    }
}
