package io.weighbridge.runtime.walk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.Seed;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RootClassSetsTest {
    private static final int ORDINALS = 3000;

    private final Random random = seeded();
    private final RootClassSets sets = new RootClassSets();
    /** Beside each set its members, kept in another way. */
    private final List<Integer> numbers = new ArrayList<>(List.of(RootClassSets.EMPTY));
    private final List<BitSet> members = new ArrayList<>(List.of(new BitSet()));

    private static Random seeded() {
        long seed = Seed.get();
        System.out.println("RootClassSetsTest seed " + seed);
        return new Random(seed);
    }

    private void makeSets(int many) {
        for (int trial = 0; trial < many; trial++) {
            int one = random.nextInt(numbers.size());
            BitSet set = (BitSet) members.get(one).clone();
            int ordinal = random.nextInt(4) == 0 ? random.nextInt(ORDINALS) : random.nextInt(100);
            switch (random.nextInt(4)) {
                case 0:
                    set.clear();
                    set.set(ordinal);
                    numbers.add(sets.only(ordinal));
                    break;
                case 1:
                    int without = set.isEmpty() ? ordinal : set.nextSetBit(random.nextInt(set.length()));
                    set.clear(without);
                    numbers.add(sets.without(numbers.get(one), without));
                    break;
                default:
                    int other = random.nextInt(numbers.size());
                    set.or(members.get(other));
                    numbers.add(sets.union(numbers.get(one), numbers.get(other)));
            }
            members.add(set);
        }
    }

    private BitSet of(int number) {
        BitSet set = new BitSet();
        for (int ordinal = 0; ordinal < ORDINALS; ordinal++) {
            if (sets.contains(number, ordinal)) {
                set.set(ordinal);
            }
        }
        return set;
    }

    private void check() {
        for (int i = 0; i < members.size(); i++) {
            BitSet expected = members.get(i);
            assertEquals(expected, of(numbers.get(i)));
            assertEquals(expected.cardinality() == 1 ? expected.nextSetBit(0) : -1, sets.single(numbers.get(i)));
            assertEquals(i == members.indexOf(expected), numbers.indexOf(numbers.get(i)) == i, "equal sets have one number");
        }
    }

    @Test
    void setsHaveTheMembersThatTheyWereMadeOf() {
        makeSets(2000);
        check();
    }

    @Test
    void whatIsKeptStaysAndGetsOneNumberAgain() {
        makeSets(3000);
        BitSet used = new BitSet();
        List<BitSet> kept = new ArrayList<>();
        List<Integer> before = new ArrayList<>();
        for (int i = 0; i < members.size(); i += 7) {
            used.set(numbers.get(i));
            before.add(numbers.get(i));
            kept.add(members.get(i));
        }
        int size = sets.size();
        int[] now = sets.keep(used);
        assertTrue(sets.size() < size);
        numbers.clear();
        members.clear();
        for (int i = 0; i < kept.size(); i++) {
            numbers.add(now[before.get(i)]);
            members.add(kept.get(i));
        }
        check();
        makeSets(1000);
        check();
    }

    @Test
    void sumsOfSetsAreThoseOfTheirMembers() {
        makeSets(2000);
        long[] sums = new long[sets.size()];
        long[] expected = new long[ORDINALS];
        for (int i = 0; i < members.size(); i++) {
            int sum = random.nextInt(1000);
            sums[numbers.get(i)] += numbers.get(i) == RootClassSets.EMPTY ? 0 : sum;
            members.get(i).stream().forEach(ordinal -> expected[ordinal] += sum);
        }
        long[] actual = new long[ORDINALS];
        sets.addToMembers(sums, actual);
        assertArrayEquals(expected, actual);
    }

    @Test
    void imagesOfSetsAreThoseOfTheirMembers() {
        makeSets(2000);
        int[] images = random.ints(ORDINALS, 0, 40).toArray();
        RootClassSets there = new RootClassSets();
        int[] mapped = sets.mapped(images, there);
        for (int i = 0; i < members.size(); i++) {
            BitSet expected = new BitSet();
            members.get(i).stream().forEach(ordinal -> expected.set(images[ordinal]));
            for (int image = 0; image < 40; image++) {
                assertEquals(expected.get(image), there.contains(mapped[numbers.get(i)], image));
            }
        }
    }

    @Test
    void thousandsOfClassesThatReachEachOtherTakeLittle() {
        int all = RootClassSets.EMPTY;
        for (int ordinal = 0; ordinal < 8000; ordinal++) {
            all = sets.union(all, sets.only(ordinal));
        }
        assertTrue(sets.bytes() < 8 << 20, sets.size() + " trees, " + sets.bytes() + " bytes");
    }
}
