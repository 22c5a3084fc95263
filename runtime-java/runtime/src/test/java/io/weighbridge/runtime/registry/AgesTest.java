package io.weighbridge.runtime.registry;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.Age;
import io.weighbridge.Weighbridge;
import io.weighbridge.runtime.Seed;
import io.weighbridge.runtime.TestJar;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class AgesTest {
    private static final class Item {
    }

    /** P4.1': an object's age is the number of boundaries after its number. */
    @Test
    void theAgeOfANumberIsHowManyBoundariesCameAfterIt() {
        long seed = Seed.get();
        Random random = new Random(seed);
        AgeRanges ranges = new AgeRanges(AgeRanges.MOST);
        List<long[]> births = new ArrayList<>();
        ranges.begin(3, 1);
        int young = 3;
        int full = 1;
        long next = 0;
        for (int step = 0; step < 3000; step++) {
            if (random.nextInt(3) == 0) {
                boolean major = random.nextInt(5) == 0;
                young += major ? 0 : 1;
                full += major ? 1 : 0;
                ranges.append(next, young, full);
            } else {
                births.add(new long[] {next++, young, full});
            }
        }
        for (long[] birth : births) {
            int range = ranges.find(birth[0]);
            assertEquals(young - birth[1], ranges.youngSince(range, young), "seed " + seed);
            assertEquals(full - birth[2], ranges.fullSince(range, full), "seed " + seed);
            assertTrue(ranges.start(range) <= birth[0] && birth[0] < ranges.end(range), "seed " + seed);
        }
    }

    @Test
    void joinedRangesKeepTheirNumberBoundedAndNeverMakeAnObjectOlder() {
        AgeRanges ranges = new AgeRanges(64);
        for (int collection = 1; collection <= 10_000; collection++) {
            ranges.append(collection * 10L, collection, 0);
            assertTrue(ranges.count() <= 64);
        }
        int before = Integer.MAX_VALUE;
        for (int birth = 0; birth < 10_000; birth++) {
            int age = ranges.youngSince(ranges.find(birth * 10L + 5), 10_000);
            assertTrue(age <= 10_000 - birth, "birth " + birth + ": " + age);
            assertTrue(age <= before, "later births are not older");
            before = age;
        }
        assertEquals(1, ranges.youngSince(ranges.find(10_000 * 10L - 1), 10_000));
        assertEquals(0, ranges.youngSince(ranges.find(10_000 * 10L), 10_000));
    }

    @Test
    void aCollectionWithoutRegistrationsBeforeItBeginsNoRange() {
        AgeRanges ranges = new AgeRanges(64);
        for (int collection = 1; collection <= 1000; collection++) {
            ranges.append(7, collection, 0);
        }
        assertEquals(2, ranges.count());
        assertEquals(1000, ranges.youngSince(ranges.find(6), 1000));
        assertEquals(0, ranges.youngSince(ranges.find(7), 1000));
    }

    @Test
    void bucketsReachFromTheirBoundToTheNextAndTheLastIsOpen() {
        AgeBuckets buckets = AgeBuckets.parse(AgeBuckets.DEFAULT);
        int[] expected = {0, 1, 2, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6};
        for (int age = 0; age < expected.length; age++) {
            assertEquals(expected[age], buckets.of(age), "age " + age);
        }
        assertEquals(6, buckets.of(Integer.MAX_VALUE));
        assertArrayEquals(new long[] {0, 10, 100}, AgeBuckets.parse("0; 10; 100").from);
        for (String senseless : new String[] {"", "1;2", "0;2;2", "0;3;2", "0;x", "0;;2", "0;99999999999"}) {
            assertNull(AgeBuckets.parse(senseless), senseless);
        }
    }

    @Test
    void theHistogramsAddUpToTheLiveFigureAndGenerationsAreDistinctAges() {
        TestJar jar = new TestJar().live(Item.class).link();
        List<Item> kept = new ArrayList<>();
        int rounds = 4;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 10; i++) {
                Item item = new Item();
                jar.live(item, Item.class, 0);
                kept.add(item);
            }
            assertTrue(CollectionClock.collect(10_000));
            jar.population(0);
            TestJar.registry().lock();
            TestJar.registry().clock.tick(false);
            TestJar.registry().unlock();
        }
        Population p = jar.population(0);
        assertEquals(kept.size(), p.number);
        assertEquals(p.number, sum(p.ages.all(p.number)));
        assertEquals(p.number, sum(p.ages.full(p.number)));
        assertEquals(rounds, p.ages.generations());
        assertTrue(p.ages.oldestFull >= rounds, "full collections survived: " + p.ages.oldestFull);
        assertTrue(p.ages.oldest >= p.ages.oldestFull);
    }

    @Test
    void theAgeOfOneObjectCanBeAsked() {
        TestJar jar = new TestJar().live(Item.class).link();
        Item old = new Item();
        jar.live(old, Item.class, 0);
        assertEquals(0, Weighbridge.age(old).orElseThrow().full());
        assertTrue(CollectionClock.collect(10_000));
        Age age = Weighbridge.age(old).orElseThrow();
        assertTrue(age.full() >= 1, age.toString());
        Item fresh = new Item();
        jar.live(fresh, Item.class, 0);
        Age young = Weighbridge.age(fresh).orElseThrow();
        assertTrue(young.full() < age.full(), young.toString());
        assertTrue(age.rangeStart() < age.rangeEnd());
        assertTrue(age.rangeEnd() <= young.rangeStart(), "ranges do not overlap");
        assertFalse(Weighbridge.age(new Item()).isPresent(), "never registered");
        assertFalse(Weighbridge.age("of another class").isPresent());
        assertFalse(Weighbridge.age(null).isPresent());
        assertTrue(old != fresh);
    }

    private static long sum(long[] values) {
        long sum = 0;
        for (long value : values) {
            sum += value;
        }
        return sum;
    }
}
