package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.TestJar;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NearestClassTest {
    private static class Base {
    }

    private static class Middle extends Base {
    }

    private static final class Leaf extends Middle {
    }

    @Test
    void anObjectIsRegisteredOnceByTheNearestOfItsInstrumentedClasses() {
        TestJar jar = new TestJar().live(Base.class).live(Leaf.class).link();
        Leaf leaf = new Leaf();
        jar.live(leaf, Base.class, 0);
        jar.live(leaf, Leaf.class, 1);
        Middle middle = new Middle();
        jar.live(middle, Base.class, 0);
        assertEquals(1, jar.allocated(0), "the Middle");
        assertEquals(1, jar.allocated(1), "the Leaf");
        assertEquals(1, jar.population(0).number);
        assertEquals(1, jar.population(1).number);
    }

    private static class Base2 {
    }

    private static class Middle2 extends Base2 {
    }

    private static final class Leaf2 extends Middle2 {
    }

    @Test
    void theSameHoldsForCounts() {
        TestJar jar = new TestJar().count(Base2.class).count(Middle2.class).link();
        jar.count(Leaf2.class, Base2.class, 0);
        jar.count(Leaf2.class, Middle2.class, 1);
        jar.count(Base2.class, Base2.class, 0);
        assertEquals(1, jar.allocated(0));
        assertEquals(1, jar.allocated(1));
    }

    private static class Base3 {
    }

    private static class Middle3 extends Base3 {
    }

    private static final class Leaf3 extends Middle3 {
    }

    @Test
    void aDescendantInAJarNotLinkedYetIsLeftToItsOwnConstructor() {
        TestJar jar = new TestJar().live(Base3.class).descendant(Leaf3.class).link();
        jar.live(new Leaf3(), Base3.class, 0);
        assertEquals(0, jar.allocated(0));
        jar.live(new Middle3(), Base3.class, 0);
        assertEquals(1, jar.allocated(0));
    }

    private static class Twice {
    }

    private static final class TwiceChild extends Twice {
    }

    @Test
    void aClassThatTwoJarsBringIsRegisteredByTheOneThatIsLoaded() {
        TestJar loaded = new TestJar().live(Twice.class).link();
        TestJar hidden = new TestJar().live(Twice.class).link();
        loaded.live(new TwiceChild(), Twice.class, 0);
        assertEquals(1, loaded.allocated(0));
        assertEquals(0, hidden.allocated(0));
        loaded.live(new TwiceChild(), Twice.class, 0);
        assertEquals(2, loaded.allocated(0), "asked again");
    }

    private static class Root {
    }

    private static final class Late extends Root {
    }

    @Test
    void aLaterLinkChangesTheAnswer() {
        TestJar jar = new TestJar().live(Root.class).link();
        jar.live(new Late(), Root.class, 0);
        assertEquals(1, jar.allocated(0));
        TestJar later = new TestJar().live(Late.class).link();
        Late late = new Late();
        jar.live(late, Root.class, 0);
        later.live(late, Late.class, 0);
        assertEquals(1, jar.allocated(0));
        assertEquals(1, later.allocated(0));
    }

    private static class Odd {
    }

    private static final class OddChild extends Odd {
    }

    @Test
    void aConstructorThatRunsProvesItsClassInstrumentedWhateverItsLoader() {
        TestJar jar = new TestJar().live(Odd.class);
        jar.link(String.class);
        jar.live(new OddChild(), Odd.class, 0);
        assertEquals(1, jar.allocated(0));
    }

    private static class Often {
    }

    private static class OftenBetween extends Often {
    }

    private static final class OftenLeaf extends OftenBetween {
    }

    @Test
    void theAnswerThatProbesRememberIsTheSame() {
        TestJar jar = new TestJar().live(Often.class).live(OftenLeaf.class).link();
        for (int i = 0; i < 5; i++) {
            OftenLeaf leaf = new OftenLeaf();
            jar.live(leaf, Often.class, 0);
            jar.live(leaf, OftenLeaf.class, 1);
            jar.live(new OftenBetween(), Often.class, 0);
        }
        assertEquals(NearestClass.of(OftenBetween.class), NearestClass.known(OftenBetween.class).id);
        assertEquals(ClassTable.NONE, NearestClass.known(OftenLeaf.class).registrar, "its own constructor");
        assertTrue(NearestClass.registersItself(OftenLeaf.class));
        assertFalse(NearestClass.registersItself(OftenBetween.class));
        assertEquals(5, jar.allocated(0), "those between");
        assertEquals(5, jar.allocated(1), "the leaves");
        assertEquals(5, jar.population(0).number);
    }

    private static class Once {
    }

    private static class OnceBetween extends Once {
    }

    private static final class OnceLeaf extends OnceBetween {
    }

    @Test
    void nothingIsRememberedAcrossAFullCollection() {
        TestJar jar = new TestJar().live(Once.class).live(OnceLeaf.class).link();
        jar.live(new OnceLeaf(), Once.class, 0);
        jar.live(new OnceBetween(), Once.class, 0);
        assertTrue(NearestClass.registersItself(OnceLeaf.class));
        TestJar.registry().lock();
        try {
            System.gc();
            TestJar.registry().clock.tick(true);
            TestJar.registry().sweep(true);
        } finally {
            TestJar.registry().unlock();
        }
        assertNull(NearestClass.known(OnceBetween.class));
        assertFalse(NearestClass.registersItself(OnceLeaf.class));
    }

    private static class Cloned {
    }

    private static final class ClonedLeaf extends Cloned {
    }

    @Test
    void aCopyOfAnObjectWhoseClassIsKnownToRegisterItselfIsCountedAllTheSame() {
        TestJar jar = new TestJar().live(Cloned.class).live(ClonedLeaf.class).link();
        ClonedLeaf leaf = new ClonedLeaf();
        jar.live(leaf, Cloned.class, 0);
        jar.live(leaf, ClonedLeaf.class, 1);
        assertTrue(NearestClass.registersItself(ClonedLeaf.class));
        jar.copied(new ClonedLeaf(), 0);
        assertEquals(2, jar.allocated(1));
    }

    private static class Top {
    }

    private static class Counting extends Top {
    }

    private static class Lower extends Counting {
    }

    private static final class Foreign extends Lower {
    }

    private final List<Object> kept = new ArrayList<>();

    /** What the constructors of Lower, Counting and Top call for objects of a class that is in no jar. */
    private TestJar constructs(TestJar jar, int foreigners) {
        for (int i = 0; i < foreigners; i++) {
            Foreign foreign = new Foreign();
            kept.add(foreign);
            jar.live(foreign, Top.class, 0);
            jar.count(Foreign.class, Counting.class, 1);
        }
        return jar;
    }

    @Test
    void theRegistrarRegistersForTheNearest() {
        TestJar jar = new TestJar().live(Top.class).count(Counting.class).live(Lower.class).registeredBy(0).link();
        constructs(jar, 4);
        jar.live(new Lower(), Top.class, 0);
        assertEquals(0, jar.allocated(0));
        assertEquals(0, jar.allocated(1));
        assertEquals(4, jar.allocated(2), "Lower's own are left to its own constructor");
        assertEquals(4, jar.population(2).number);
    }

    @Test
    void aRegistrarOfAnotherClassLoaderRegistersAsWell() {
        TestJar jar = new TestJar().live(Top.class).count(Counting.class).live(Lower.class).registeredBy(0).link();
        constructs(jar, 1);
        jar.link(String.class);
        constructs(jar, 2);
        assertEquals(3, jar.allocated(2));
    }

    private static class Old {
    }

    private static final class YoungerThanOld extends Old {
    }

    @Test
    void aClassThatIsTooOldToNameItselfRegistersItsOwnObjectsAndThoseOfItsSubclasses() {
        for (int round = 0; round < 2; round++) {
            TestJar lives = new TestJar().live(Old.class).blind().link();
            TestJar counts = new TestJar().count(Old.class).blind().link();
            for (int i = 0; i < 3; i++) {
                lives.live(new Old(), null, 0);
                counts.count(Old.class, null, 0);
            }
            lives.live(new YoungerThanOld(), null, 0);
            assertEquals(4, lives.allocated(0));
            assertEquals(4, lives.population(0).number);
            assertEquals(3, counts.allocated(0));
        }
    }

    private static class Remembered {
    }

    private static final class RememberedLeaf extends Remembered {
    }

    @Test
    void theTablesHoldClassesUntilAFullCollectionOrForAMinute() {
        TestJar jar = new TestJar().live(Remembered.class).link();
        TestJar.registry().lock();
        try {
            long now = System.nanoTime();
            int full = 1_000_000;
            NearestClass.collected(full, now);
            for (long later : new long[] {0, 61_000_000_000L}) {
                jar.live(new RememberedLeaf(), Remembered.class, 0);
                assertNotNull(NearestClass.known(RememberedLeaf.class));
                NearestClass.collected(full, now + later / 2);
                assertNotNull(NearestClass.known(RememberedLeaf.class), "a young collection unloads nothing");
                full += later == 0 ? 1 : 0;
                NearestClass.collected(full, now + later);
                assertNull(NearestClass.known(RememberedLeaf.class));
            }
        } finally {
            TestJar.registry().unlock();
        }
    }

    private static class Original {
    }

    private static class Counted extends Original {
    }

    private static final class Unmatched extends Original {
    }

    @Test
    void aCopyBelongsToItsNearestInstrumentedClassWhicheverMethodMadeIt() {
        TestJar jar = new TestJar().live(Original.class).count(Counted.class).link();
        Object[] copies = {new Original(), new Unmatched(), new Counted()};
        for (Object copy : copies) {
            jar.copied(copy, 0);
        }
        assertEquals(2, jar.allocated(0), "the Original and the Unmatched");
        assertEquals(1, jar.allocated(1), "the Counted");
        assertEquals(2, jar.population(0).number);
        assertTrue(NearestClass.known(Original.class).live);
        assertFalse(NearestClass.known(Counted.class).live);
        assertNull(NearestClass.known(Unmatched.class), "it has a registrar");
        // From now on without a search.
        for (Object copy : copies) {
            jar.copied(copy, 0);
        }
        assertEquals(4, jar.allocated(0));
        assertEquals(2, jar.allocated(1));
        assertEquals(4, jar.population(0).number, "each was registered again");
    }
}
