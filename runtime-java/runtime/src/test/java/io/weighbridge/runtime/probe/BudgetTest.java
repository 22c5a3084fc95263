package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.TestJar;
import io.weighbridge.runtime.registry.Population;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class BudgetTest {
    private static final long SECOND = 1_000_000_000;

    private static final class Item {
    }

    /** A sweep beside this thread would take its objects for those of a cycle of microseconds. */
    @BeforeEach
    void keepOtherSweepsOut() {
        TestJar.registry().lock();
        Budget.set(Budget.DEFAULT_REFERENCES);
    }

    @AfterEach
    void letOtherSweepsIn() {
        Budget.set(Budget.DEFAULT_REFERENCES);
        TestJar.registry().unlock();
    }

    /** A cycle in which each class constructs so many objects, in turns. */
    private static List<Item> cycle(TestJar jar, int... constructions) {
        List<Item> kept = new ArrayList<>();
        int most = 0;
        for (int n : constructions) {
            most = Math.max(most, n);
        }
        for (int i = 0; i < most; i++) {
            for (int c = 0; c < constructions.length; c++) {
                if (i < constructions[c]) {
                    Item item = new Item();
                    jar.live(item, Item.class, c);
                    kept.add(item);
                }
            }
        }
        TestJar.registry().sweep(true);
        return kept;
    }

    @Test
    void referencesAreAllowedForAsTimePassesAndSavedUp() {
        spend();
        assertEquals(500, Budget.allowance(), "however short the cycle");
        Budget.sweptAll(Budget.numbers(), SECOND);
        assertEquals(2_500, Budget.allowance());
        Budget.sweptAll(Budget.numbers(), 3600 * SECOND);
        assertEquals(Budget.cap() / 2, Budget.allowance());
    }

    private static void spend() {
        for (int i = 0; i < 2 * Budget.cap(); i++) {
            Budget.number();
        }
        Budget.sweptAll(Budget.numbers(), 0);
    }

    @Test
    void theBusiestGiveFirst() {
        assertEquals(5000, Budget.fit(new long[] {10, 3000, 5000}, 9000, 5000));
        assertEquals(2000, Budget.fit(new long[] {10, 3000, 5000}, 4010, 5000));
        assertEquals(1, Budget.fit(new long[] {10, 10, 10}, 0, 5000));
    }

    @Test
    void pastTheCapEveryClassMayHaveHalfAndAtLastAFew() {
        long number = Budget.numbers();
        int cap = Budget.cap();
        assertEquals(5000, Budget.limit(5000, number + cap));
        assertEquals(2500, Budget.limit(5000, number + cap + 1));
        assertEquals(1250, Budget.limit(5000, number + cap + cap / 8 + 1));
        assertEquals(64, Budget.limit(5000, number + 100L * cap));
        assertEquals(10, Budget.limit(10, number + 100L * cap), "a class that has few keeps them");
        Budget.dropped(cap);
        assertEquals(5000, Budget.limit(5000, number + 2 * cap));
    }

    @Test
    void theCapFollowsTheHeap() {
        long least = (256 << 10) / 52;
        assertTrue(Budget.cap() >= least + Runtime.getRuntime().maxMemory() / 64 / 200 / 52 / 2, Budget.cap() + " references");
        assertTrue(Budget.cap() <= least + Runtime.getRuntime().maxMemory() / 200 / 52 + 1, Budget.cap() + " references");
    }

    @Test
    void aClassWithAThousandObjectsACycleIsExactWhateverOthersDo() {
        TestJar jar = new TestJar().live(Item.class).live(Item.class).live(Item.class).link();
        List<Item> kept = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            kept.addAll(cycle(jar, 200_000, 1000, 150_000));
        }
        assertFalse(jar.population(0).exact);
        Population p = jar.population(1);
        assertTrue(p.exact);
        assertEquals(4000, p.number);
        assertEquals(0, p.error);
        assertEquals(4 * 351_000, kept.size());
    }

    @Test
    void aBusyClassMakesFewReferencesWhenItsFigureIsKnownWell() {
        TestJar jar = new TestJar().live(Item.class).link();
        List<Item> kept = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            kept.addAll(cycle(jar, 100_000));
        }
        long before = Budget.numbers();
        kept.addAll(cycle(jar, 100_000));
        long made = Budget.numbers() - before;
        assertTrue(made < Budget.perCycle(), made + " references");
        assertEquals(1_100_000, jar.population(0).number);
        assertEquals(1_100_000, kept.size());
    }

    @Test
    void aClassThatHasCalmedDownRegistersEveryObjectAgain() {
        TestJar jar = new TestJar().live(Item.class).link();
        List<Item> kept = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            kept.addAll(cycle(jar, 300_000));
        }
        assertTrue(jar.entry(0).shift() > 3, "shift " + jar.entry(0).shift());
        for (int i = 0; i < 3; i++) {
            kept.addAll(cycle(jar, 100));
        }
        assertEquals(0, jar.entry(0).shift());
        long before = Budget.numbers();
        kept.addAll(cycle(jar, 100));
        assertEquals(100, Budget.numbers() - before);
        assertEquals(1_200_400, kept.size());
    }

    @Test
    void oneBurstDoesNotEndExactness() {
        TestJar jar = new TestJar().live(Item.class).link();
        List<Item> kept = cycle(jar, 4000);
        kept.addAll(cycle(jar, 0));
        kept.addAll(cycle(jar, 10));
        Population p = jar.population(0);
        assertTrue(p.exact);
        assertEquals(4010, p.number);
        assertEquals(4010, kept.size());
    }
}
