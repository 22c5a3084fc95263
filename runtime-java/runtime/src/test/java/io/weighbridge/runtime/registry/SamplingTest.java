package io.weighbridge.runtime.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.Seed;
import io.weighbridge.runtime.TestJar;
import io.weighbridge.runtime.jvm.Cleared;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.jvm.Randomness;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.probe.Tracked;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class SamplingTest {
    private static final class Item {
    }

    /** Each is in one jar only: the JVM's lines of a name that several jars have cannot be told apart. */
    private static final class Counted {
    }

    private static final class CountedToo {
    }

    /** The first jar of a JVM sets the options; what a test sets must come after it. */
    @BeforeAll
    static void start() {
        new TestJar().link();
    }

    @AfterEach
    void restore() {
        Budget.set(Budget.DEFAULT_REFERENCES);
        Stripes.enable(true);
    }

    private static TestJar jar() {
        return new TestJar().live(Item.class).link();
    }

    private static Item construct(TestJar jar) {
        Item item = new Item();
        jar.live(item, Item.class, 0);
        return item;
    }

    private static void construct(TestJar jar, int number, List<Item> kept) {
        for (int i = 0; i < number; i++) {
            kept.add(construct(jar));
        }
    }

    @Test
    void belowTheBudgetTheLiveFigureIsExact() {
        TestJar.registry().sweep(true); // what other tests have registered counts against the cap for all classes until then
        TestJar jar = jar();
        List<Item> kept = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            Item item = construct(jar);
            if (i % 5 == 0) {
                kept.add(item);
            }
        }
        assertTrue(CollectionClock.collect(10_000));
        Population p = jar.population(0);
        assertEquals(kept.size(), p.number);
        assertEquals(0, p.error);
        assertTrue(p.exact);
        assertEquals(kept.size(), p.objects.length);
    }

    @Test
    void aReferenceIsRenewedOnceAfterACollectionThatWorksInPauses() {
        TestJar jar = jar();
        TestJar.registry().lock(); // against a sweep by somebody else
        try {
            TestJar.registry().sweep(true);
            Item item = construct(jar);
            SweptClass swept = jar.swept(0);
            TestJar.registry().sweep(false);
            Tracked first = swept.sample.kept[0];
            TestJar.registry().sweep(true);
            Tracked second = swept.sample.kept[0];
            assertEquals(Management.collectors().worksInPauses(), first != second);
            assertEquals(first != second, Cleared.is(first));
            assertSame(item, second.get());
            assertEquals(List.of(first.number(), (long) first.weight, (long) first.origin()),
                    List.of(second.number(), (long) second.weight, (long) second.origin()));
            TestJar.registry().sweep(true);
            assertSame(second, swept.sample.kept[0]);
            assertEquals(1, swept.sample.count);
        } finally {
            TestJar.registry().unlock();
        }
    }

    @Test
    void theReferencesStayWithinTheBudget() {
        Budget.set(1000);
        TestJar jar = jar();
        List<Item> kept = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            kept.add(construct(jar));
        }
        Population p = jar.population(0);
        assertTrue(p.objects.length <= 1000, "references: " + p.objects.length);
        assertFalse(p.exact);
        assertTrue(p.error > 0);
        assertEquals(100_000, kept.size());
    }

    /** Replays of whole programs have found it: no object was passed over, but half of them had lost their references. */
    @Test
    void aClassThatEndsAsItsReferencesAreJoinedIsNotExact() {
        TestJar.registry().sweep(true);
        Budget.set(1000);
        TestJar jar = jar();
        List<Item> kept = new ArrayList<>();
        for (int i = 0; i < 1001; i++) {
            kept.add(construct(jar));
        }
        Population p = jar.population(0);
        assertTrue(p.objects.length < 600, "references: " + p.objects.length);
        assertFalse(p.exact);
        assertTrue(p.error > 0);
        assertEquals(1001, kept.size());
    }

    /** A busy class passes over most of its objects, and no reference tells that these are younger than the marking. */
    @Test
    void whatWasConstructedAfterAMarkingDidNotLiveThen() {
        Budget.set(40);
        TestJar jar = jar();
        Registry registry = TestJar.registry();
        List<Item> kept = new ArrayList<>();
        for (int round = 0; round < 40; round++) {
            construct(jar, 2_000, kept);
            registry.lock(); // against a sweep by somebody else
            try {
                // A cohort with few references waits for more, but not for long.
                for (int i = 0; i < 10; i++) {
                    registry.sweep(true);
                }
                long before = jar.population(0).number;
                long marking = Budget.numbers();
                registry.marked(marking, System.nanoTime());
                construct(jar, 20, kept);
                assertEquals(before, jar.population(0, marking).number, "round " + round);
            } finally {
                registry.unlock();
            }
        }
        assertEquals(40 * 2_020, kept.size());
    }

    /** A marking is known to have begun between two moments: what came between them may have lived then, or not yet been there. */
    @Test
    void whatCameWhileAMarkingMayHaveBegunIsInTheError() {
        TestJar.registry().sweep(true);
        TestJar jar = jar();
        Registry registry = TestJar.registry();
        List<Item> kept = new ArrayList<>();
        registry.lock();
        try {
            construct(jar, 100, kept);
            long from = Budget.numbers();
            construct(jar, 40, kept);
            registry.marked(from, System.nanoTime());
            kept.add(construct(jar));
            Population p = jar.population(0, from);
            assertEquals(120, p.number);
            assertTrue(p.number - 1.96 * p.error <= 100 && p.number + 1.96 * p.error >= 140, "error " + p.error);
            assertFalse(p.exact);
        } finally {
            registry.unlock();
        }
        assertEquals(141, kept.size());
    }

    /** It has lived at the marking, whatever happens later. */
    @Test
    void whatIsCollectedAfterAMarkingHasLivedThen() {
        TestJar.registry().sweep(true);
        TestJar jar = jar();
        Registry registry = TestJar.registry();
        List<Item> kept = new ArrayList<>();
        registry.lock();
        try {
            construct(jar, 100, kept);
            long marking = Budget.numbers();
            registry.marked(marking, System.nanoTime());
            registry.sweep(false);
            kept.subList(10, 100).clear();
            assertTrue(CollectionClock.collect(10_000));
            Population p = jar.population(0, marking);
            assertEquals(List.of(100L, 0L, 10L), List.of(p.number, p.error, p.notCollected));
            assertEquals(10, p.objects.length);
            assertFalse(p.exact);
        } finally {
            registry.unlock();
        }
        assertEquals(10, kept.size());
    }

    @Test
    void allClassesTogetherStayWithinTheGlobalCap() {
        Budget.set(1000);
        TestJar jar = new TestJar();
        int classes = 200;
        for (int c = 0; c < classes; c++) {
            jar.live(Item.class);
        }
        jar.link();
        List<Item> kept = new ArrayList<>();
        for (int i = 0; i < 1500; i++) {
            for (int c = 0; c < classes; c++) {
                Item item = new Item();
                jar.live(item, Item.class, c);
                kept.add(item);
            }
        }
        TestJar.registry().sweep(false);
        long references = 0;
        for (int c = 0; c < classes; c++) {
            references += jar.swept(c).sample.count;
        }
        // New ones give way step by step, see Budget.limit.
        assertTrue(references <= 1.5 * Budget.cap(), references + " references, cap " + Budget.cap());
        assertEquals(300_000, kept.size());
    }

    /** The formula of package-info, with the sizes that this JVM states. */
    @Test
    void theReferencesTakeTheBytesThatTheFormulaSays() throws Exception {
        TestJar jar = jar();
        List<Item> kept = new ArrayList<>();
        for (int i = 0; i < Budget.DEFAULT_REFERENCES / 2; i++) {
            kept.add(construct(jar));
        }
        jar.population(0);
        SweptClass swept = jar.swept(0);
        ObjectSizes sizes = ObjectSizes.get();
        int reference = sizes.referenceBytes();
        long each = sizes.instance(swept.sample.kept[0]) + reference;
        assertTrue(each <= (reference == 4 ? 52 : 80), each + " bytes a reference");
        assertTrue(swept.sample.kept.length <= 3 * swept.sample.count / 2 + 16, "room: " + swept.sample.kept.length + " for " + swept.sample.count);
        assertTrue(TestJar.registry().bytes() >= 52L * swept.sample.count && TestJar.registry().bytes() <= 52L * Budget.cap()
                + Stripes.alive() * (64L + 17L * ClassTable.size()), "stated: " + TestJar.registry().bytes());
        assertEquals(Budget.DEFAULT_REFERENCES / 2, kept.size());
    }

    /** Sums of many independent trials: the mean of a figure without bias lies within its own standard error of 0. */
    @Test
    void theLiveEstimateHasNoBiasAndItsErrorIsTheOneItSays() {
        long seed = Seed.get();
        System.out.println("SamplingTest seed " + seed);
        Randomness.restart(seed);
        Random random = new Random(seed);
        Budget.set(200);
        int trials = 60;
        double sum = 0;
        double squares = 0;
        double predicted = 0;
        TestJar.registry().lock(); // A sweep beside this thread takes objects for those of a cycle of microseconds.
        for (int t = 0; t < trials; t++) {
            TestJar jar = jar();
            List<Item> kept = new ArrayList<>();
            int births = 20_000 + random.nextInt(20_000);
            for (int i = 0; i < births; i++) {
                Item item = construct(jar);
                if (random.nextInt(4) == 0) {
                    kept.add(item);
                }
                if (i % 5000 == 4999) {
                    TestJar.registry().sweep(true); // thins, and relaxes or keeps the rate, as after a collection
                }
            }
            long truth = kept.size();
            Population p = undisturbed(jar);
            long estimate = weigh(p, kept);
            double error = estimate - truth;
            sum += error / truth;
            squares += error * error / ((double) truth * truth);
            predicted += variance(p, kept) / ((double) truth * truth);
        }
        TestJar.registry().unlock();
        double mean = sum / trials;
        double rms = Math.sqrt(squares / trials);
        String figures = "seed " + seed + ", mean " + mean + ", rms " + rms + ", predicted " + Math.sqrt(predicted / trials);
        System.out.println("SamplingTest " + figures);
        assertTrue(Math.abs(mean) < 4 * rms / Math.sqrt(trials), figures);
        // A ratio of two figures from 60 trials each: their spread is about 10 %.
        assertTrue(rms > Math.sqrt(predicted / trials) / 1.6, figures);
        assertTrue(rms < 1.6 * Math.sqrt(predicted / trials), figures);
    }

    /**
     * A population that no collection came into. One between the sweep and the reading of the references clears some, and the
     * others then stand for the live objects of before, which {@link #weigh} does not know.
     */
    private static Population undisturbed(TestJar jar) {
        while (true) {
            long before = collections();
            Population p = jar.population(0);
            if (collections() == before) {
                return p;
            }
        }
    }

    private static long collections() {
        return Management.collectors().youngCount() + (long) Management.collectors().fullCount();
    }

    /** The estimate as if a collection had just removed everything that is not kept: no collection is needed here. */
    private static long weigh(Population p, List<Item> kept) {
        Set<Object> alive = identities(kept);
        double sum = 0;
        for (int i = 0; i < p.objects.length; i++) {
            sum += alive.contains(p.objects[i]) ? p.weights[i] : 0;
        }
        return Math.round(sum);
    }

    /** What {@link Population#error} would say of it, squared. */
    private static double variance(Population p, List<Item> kept) {
        Set<Object> alive = identities(kept);
        double sum = 0;
        for (int i = 0; i < p.objects.length; i++) {
            sum += alive.contains(p.objects[i]) ? p.weights[i] * (p.weights[i] - 1) : 0;
        }
        return sum;
    }

    private static Set<Object> identities(List<Item> kept) {
        Set<Object> alive = Collections.newSetFromMap(new IdentityHashMap<>());
        alive.addAll(kept);
        return alive;
    }

    @Test
    void aSampledClassWhoseObjectsAllLiveHasTheExactNumber() {
        TestJar jar = jar();
        List<Item> kept = new ArrayList<>();
        for (int i = 0; i < 70_001; i++) {
            kept.add(construct(jar));
        }
        assertEquals(70_001, jar.population(0).number);
        for (int cycle = 0; cycle < 4; cycle++) {
            TestJar.registry().sweep(true); // joins references, which changes no sum
            Population p = jar.population(0);
            assertFalse(p.exact);
            assertEquals(70_001, p.number);
            assertEquals(p.number, sum(p.weights), 1e-6 * p.number);
        }
        assertEquals(70_001, kept.size());
    }

    @Test
    void moreThanWasAllocatedIsNeverEstimatedNorLessThanWasSeen() {
        Budget.set(40);
        for (int trial = 0; trial < 50; trial++) {
            TestJar jar = jar();
            List<Item> kept = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                Item item = construct(jar);
                if (i % 7 == 0) {
                    kept.add(item);
                }
                if (i % 100 == 99) {
                    TestJar.registry().sweep(true);
                }
            }
            Population p = jar.population(0);
            assertTrue(p.number <= 500 && p.number >= p.objects.length, p.number + " of 500, seen " + p.objects.length);
            assertEquals(72, kept.size());
        }
    }

    @Test
    void theJvmsOwnCountIsTheSumOfAllThatIsSaidOfTheObjects() {
        TestJar jar = new TestJar().live(Counted.class).link();
        List<Object> kept = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            Counted item = new Counted();
            jar.live(item, Counted.class, 0);
            if (i % 3 == 0) {
                kept.add(item);
            }
        }
        Census census = Census.take();
        assertTrue(census.collected);
        Population p = counted(jar, census);
        assertEquals(kept.size(), p.number);
        assertEquals(0, p.error);
        assertEquals(16L * kept.size(), p.bytes);
        assertFalse(p.exact, "ages and sizes are still those of a sample");
        assertEquals(kept.size(), sum(p.weights), 1e-6 * kept.size());
        assertEquals(kept.size(), sum(p.ages.all(p.number)));
        Population later = jar.population(0);
        assertEquals(kept.size(), later.number, "the sample stands for what was counted");
    }

    @Test
    void aClassIsExactAgainWhenTheJvmCountsAsManyObjectsAsHaveReferences() {
        Budget.set(100);
        TestJar jar = new TestJar().live(CountedToo.class).link();
        for (int i = 0; i < 10_000; i++) {
            constructToo(jar);
        }
        assertFalse(jar.population(0).exact);
        List<Object> kept = new ArrayList<>();
        TestJar.registry().lock(); // against a sweep by somebody else
        try {
            CollectionClock.collect(10_000);
            for (int i = 0; i < 4; i++) {
                TestJar.registry().sweep(true);
            }
            for (int i = 0; i < 60; i++) {
                kept.add(constructToo(jar));
            }
            Population p = counted(jar, Census.take());
            assertEquals(60, p.number);
            assertTrue(p.exact);
            kept.add(constructToo(jar));
            p = jar.population(0);
            assertEquals(61, p.number);
            assertTrue(p.exact);
            assertEquals(61, kept.size());
        } finally {
            TestJar.registry().unlock();
        }
    }

    private static Object constructToo(TestJar jar) {
        Object o = new CountedToo();
        jar.live(o, CountedToo.class, 0);
        return o;
    }

    private static Population counted(TestJar jar, Census census) {
        TestJar.registry().lock();
        try {
            TestJar.registry().sweep(TestJar.registry().clock.tick(false));
            census.assign(TestJar.registry());
            census.calibrate(TestJar.registry());
            return new Population(TestJar.registry(), jar.entry(0), AgeBuckets.parse(AgeBuckets.DEFAULT), jar.allocated(0), census,
                    Markings.NONE);
        } finally {
            TestJar.registry().unlock();
        }
    }

    private static double sum(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum;
    }

    private static long sum(long[] values) {
        long sum = 0;
        for (long value : values) {
            sum += value;
        }
        return sum;
    }

    @Test
    void gapsAreGeometric() {
        long state = Randomness.seed();
        for (int shift = 1; shift <= 10; shift++) {
            double sum = 0;
            int ones = 0;
            int n = 200_000;
            for (int i = 0; i < n; i++) {
                state = Randomness.next(state);
                long gap = Randomness.gap(state, shift);
                assertTrue(gap >= 1);
                sum += gap;
                ones += gap == 1 ? 1 : 0;
            }
            double mean = 1 << shift;
            double sd = mean * Math.sqrt((1 - 1 / mean) / n);
            assertEquals(mean, sum / n, 6 * sd, "state " + state);
            assertEquals(1 / mean, ones / (double) n, 6 * Math.sqrt(1 / mean / n));
        }
    }

    @Test
    void anObjectMissedWhileSwitchedOffMakesTheFigureAnEstimate() {
        TestJar jar = jar();
        Item first = construct(jar);
        Stripes.enable(false);
        Item second = construct(jar);
        Stripes.enable(true);
        TestJar.registry().missed();
        assertFalse(jar.population(0).exact);
        assertTrue(first != second);
    }

    @Test
    void theRateRelaxesWhenThePopulationShrinks() {
        Budget.set(100);
        TestJar jar = jar();
        for (int i = 0; i < 10_000; i++) {
            construct(jar);
        }
        int high = jar.entry(0).shift();
        assertTrue(high > 2, "shift " + high);
        CollectionClock.collect(10_000);
        for (int i = 0; i < 40; i++) {
            TestJar.registry().sweep(true);
        }
        assertEquals(0, jar.entry(0).shift());
        construct(jar);
        Population p = jar.population(0);
        assertFalse(p.exact, "an object that was passed over may still live");
        assertTrue(p.error > 0, "so the figure has an error, whatever the rate is now");
    }
}
