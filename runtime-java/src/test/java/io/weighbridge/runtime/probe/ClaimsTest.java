package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.TestJar;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

final class ClaimsTest {
    private static class Base {
    }

    private static class Leaf extends Base {
    }

    @Test
    void aClaimIsForOneObject() {
        TestJar jar = new TestJar().live(Base.class).live(Leaf.class).link();
        assertFalse(jar.claimed(0));
        jar.claim(0);
        assertTrue(jar.claimed(0));
        assertFalse(jar.claimed(0));
    }

    @Test
    void aClaimFromOneClassIsNoneFromAnother() {
        TestJar jar = new TestJar().live(Base.class).live(Leaf.class).link();
        TestJar other = new TestJar().live(Base.class).link();
        jar.claim(0);
        assertFalse(other.claimed(0), "of another jar");
        jar.claim(0);
        assertFalse(jar.claimed(1));
        assertFalse(jar.claimed(0), "what was not for the constructor that ran next is forgotten");
    }

    @Test
    void anotherThreadTakesNoClaimAlsoOneThatSharesThePlace() throws InterruptedException {
        TestJar jar = new TestJar().live(Base.class).live(Leaf.class).link();
        boolean[] taken = {false};
        Thread sharing;
        do {
            sharing = new Thread(() -> taken[0] = jar.claimed(0));
        } while ((sharing.getId() - Thread.currentThread().getId()) % (Stripes.MASK + 1) != 0);
        jar.claim(0);
        sharing.start();
        sharing.join();
        assertFalse(taken[0]);
        assertFalse(jar.claimed(0), "lost, so that the object is looked up");
    }

    @Test
    void threadsThatShareAPlaceTakeOnlyTheirOwn() throws Exception {
        TestJar jar = new TestJar().live(Base.class).live(Leaf.class).link();
        int rounds = 200_000;
        long[] kept = new long[2];
        boolean[] wrong = {false, false};
        CyclicBarrier start = new CyclicBarrier(2);
        Thread[] threads = new Thread[2];
        for (int t = 0; t < 2; t++) {
            int own = t;
            do {
                threads[t] = new Thread(() -> {
                    try {
                        start.await();
                    } catch (Exception never) {
                        throw new AssertionError(never);
                    }
                    for (int i = 0; i < rounds; i++) {
                        jar.claim(0);
                        kept[own] += jar.claimed(0) ? 1 : 0;
                        wrong[own] |= jar.claimed(0);
                    }
                });
            } while (t == 1 && (threads[1].getId() - threads[0].getId()) % (Stripes.MASK + 1) != 0);
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertFalse(wrong[0] || wrong[1], "a thread takes a claim that is none of its own");
        assertTrue(kept[0] > 0 && kept[1] > 0);
    }
}
