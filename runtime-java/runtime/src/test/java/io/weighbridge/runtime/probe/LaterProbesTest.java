package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.weighbridge.runtime.TestJar;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.Test;

final class LaterProbesTest {
    private static final int FIRST = 100_000;

    private static final class Counted {
    }

    private static final class Tracked1 implements Cloneable {
    }

    @Test
    void theFirstSessionOfAJvmHasTheProbesThemselves() {
        Object[] receivers = LaterProbes.receivers(0);
        assertSame(LiveProbe.INSTANCE, receivers[0]);
        assertSame(CountOthersProbe.INSTANCE, receivers[3]);
    }

    @Test
    @SuppressWarnings("unchecked")
    void aLaterSessionIgnoresTheIdsOfEarlierOnes() {
        TestJar jar = new TestJar().count(Counted.class).live(Tracked1.class).link();
        Object[] receivers = LaterProbes.receivers(FIRST);
        ObjIntConsumer<Object> live = (ObjIntConsumer<Object>) receivers[0];
        ObjIntConsumer<Object> liveOthers = (ObjIntConsumer<Object>) receivers[1];
        IntConsumer count = (IntConsumer) receivers[2];
        for (int first : new int[] {0, FIRST}) {
            count.accept(first + jar.base);
            live.accept(new Tracked1(), first + jar.base + 1);
            liveOthers.accept(new Tracked1(), ~(first + jar.base + 1));
        }
        assertEquals(1, jar.allocated(0));
        assertEquals(2, jar.allocated(1), "one made, one copied");
    }
}
