package io.weighbridge.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class BudgetTest {
    private static final long SECOND = 1_000_000_000;

    private static final class Item {
    }

    @BeforeEach
    @AfterEach
    void restore() {
        Budget.set(Budget.DEFAULT_REFERENCES);
    }

    /** A cycle in which each class constructs so many objects. */
    private static List<Item> cycle(TestJar jar, int... constructions) {
        List<Item> kept = new ArrayList<>();
        for (int c = 0; c < constructions.length; c++) {
            for (int i = 0; i < constructions[c]; i++) {
                Item item = new Item();
                jar.live(item, Item.class, c);
                kept.add(item);
            }
        }
        Registry.sweep(true);
        return kept;
    }

    @Test
    void aCollectionAllowsForAsManyReferencesAsItPauses() {
        assertEquals(5000 / 25, Budget.allowance(SECOND / 10, 0.1));
        assertEquals(5000 * 20 / 160, Budget.allowance(SECOND / 10, 20));
        assertEquals(2500, Budget.allowance(SECOND / 10, 1000));
    }

    @Test
    void aProgramThatHardlyCollectsIsAllowedForAsTimePasses() {
        assertEquals(500, Budget.allowance(SECOND, 0.1));
        assertEquals(2500, Budget.allowance(60 * SECOND, 0.1));
    }

    @Test
    void aCollectorThatLooksThroughReferencesBesideTheProgramAllowsForAsManyAsTimePasses() {
        assertEquals(250, Budget.allowance(SECOND / 10, -1));
        assertEquals(2500, Budget.allowance(100 * SECOND, -1));
    }

    @Test
    void pastWhatIsFreeTheLimitFallsToAFewObjectsOfEachClass() {
        Budget.sweptAll(0);
        assertEquals(5000, Budget.limit(5000));
        assertEquals(2500, Budget.limit(5250));
        assertEquals(39, Budget.limit(1_000_000));
        assertEquals(39, Budget.limit(Integer.MAX_VALUE));
    }

    @Test
    void aProgramThatStartsMakesAsManyReferencesAsTheFormulaSays() {
        TestJar jar = new TestJar();
        int[] constructions = new int[50];
        for (int c = 0; c < constructions.length; c++) {
            jar.live(Item.class);
            constructions[c] = 20_000;
        }
        jar.link();
        Registry.sweep(true);
        Budget.set(Budget.DEFAULT_REFERENCES);
        long before = Budget.numbers();
        cycle(jar, constructions);
        long made = Budget.numbers() - before;
        double most = 1.5 * 5000 + constructions.length * 5000 / 128 * Math.log(20_000) / Math.log(2); // package-info
        assertTrue(made >= 5000 && made <= most, made + " references");
    }

    @Test
    void aClassThatChurnsIsSampledThinlyAndARareOneStaysExact() {
        TestJar jar = new TestJar().live(Item.class).live(Item.class).link();
        for (int i = 0; i < 4; i++) {
            cycle(jar, 200_000, 10);
        }
        long before = Budget.numbers();
        List<Item> kept = cycle(jar, 200_000, 10);
        long made = Budget.numbers() - before;
        assertTrue(made <= Budget.DEFAULT_REFERENCES / 2 * 1.2, made + " references");
        assertTrue(jar.entry(1).exact());
        assertFalse(jar.entry(0).exact());
        assertEquals(200_010, kept.size());
    }

    @Test
    void oneBurstDoesNotEndExactness() {
        TestJar jar = new TestJar().live(Item.class).link();
        List<Item> kept = cycle(jar, 4000);
        kept.addAll(cycle(jar, 0));
        kept.addAll(cycle(jar, 10));
        Population p = jar.population(0);
        assertTrue(p.exact);
        assertEquals(4010, p.live);
        assertEquals(4010, kept.size());
    }
}
