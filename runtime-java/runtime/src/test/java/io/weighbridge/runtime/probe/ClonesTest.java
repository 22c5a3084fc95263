package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.TestJar;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** Each test has classes of its own, for a link is never undone. */
final class ClonesTest {
    private static class Listed extends ArrayList<Object> {
    }

    @Test
    void theCallerCountsCopiesByAMethodOfTheJdkAndOthersMayBeMissed() {
        TestJar jar = new TestJar().live(Listed.class).link();
        assertTrue(ClonesProbe.INSTANCE.test(Listed.class));
        Listed list = new Listed();
        jar.live(list, Listed.class, 0);
        jar.cloned(list.clone(), Listed.class, 0);
        assertEquals(2, jar.allocated(0));
        assertFalse(jar.population(0).exact);
        assertEquals("copies", jar.population(0).why);
    }

    private static class Overriding extends ArrayList<Object> {
    }

    private static final class BelowOverriding extends Overriding {
    }

    private static final class ForeignBelowOverriding extends Overriding {
    }

    @Test
    void anOverrideCountsTheCopiesOfItsClassAndOfThoseBelow() {
        TestJar jar = new TestJar().live(Overriding.class).clones().live(BelowOverriding.class).link();
        for (Object o : new Object[] {new Overriding(), new BelowOverriding(), new ForeignBelowOverriding()}) {
            assertFalse(ClonesProbe.INSTANCE.test(o.getClass()));
            jar.live(o, Overriding.class, 0);
        }
        jar.live(new BelowOverriding(), BelowOverriding.class, 1);
        assertTrue(ClonesProbe.INSTANCE.test(ArrayList.class), "for super.clone() in the override");
        assertTrue(jar.population(0).exact);
        assertTrue(jar.population(1).exact);
    }

    private static class Plain implements Cloneable {
    }

    private static final class ForeignBelowPlain extends Plain {
    }

    @Test
    void aClassWithoutProbesMayCopyItsObjects() {
        TestJar jar = new TestJar().live(Plain.class).link();
        jar.live(new Plain(), Plain.class, 0);
        assertTrue(ClonesProbe.INSTANCE.test(Plain.class));
        assertTrue(jar.population(0).exact, "only its own methods can ask for Object.clone");
        jar.live(new ForeignBelowPlain(), Plain.class, 0);
        assertFalse(jar.population(0).exact);
    }

    private static class Foreign implements Cloneable {
    }

    private static final class BelowForeign extends Foreign {
    }

    private static class NoCopies {
    }

    private static final class BelowNoCopies extends NoCopies {
    }

    @Test
    void aClassOfTheProgramMayCopyInAnyMethodButOnlyWhatIsCloneable() {
        TestJar jar = new TestJar().live(BelowForeign.class).clones().live(BelowNoCopies.class).link();
        jar.live(new BelowForeign(), BelowForeign.class, 0);
        jar.live(new BelowNoCopies(), BelowNoCopies.class, 1);
        assertFalse(jar.population(0).exact);
        assertTrue(jar.population(1).exact);
    }

    private static class Later extends ArrayList<Object> {
    }

    @Test
    void aLinkChangesTheAnswer() {
        assertTrue(ClonesProbe.INSTANCE.test(Later.class));
        new TestJar().live(Later.class).clones().link();
        assertFalse(ClonesProbe.INSTANCE.test(Later.class));
    }

    private static class Old implements Cloneable {
    }

    @Test
    void notAllCallsOfAnOldClassFileAreTold() {
        TestJar jar = new TestJar().live(Old.class).clones().blind().link();
        jar.live(new Old(), Old.class, 0);
        jar.live(new Old() { }, Old.class, 0);
        assertFalse(jar.population(0).exact);
    }
}
