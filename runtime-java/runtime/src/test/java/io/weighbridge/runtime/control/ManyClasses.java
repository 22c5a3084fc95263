package io.weighbridge.runtime.control;

import io.weighbridge.runtime.TestJar;
import io.weighbridge.runtime.probe.ThreadNames;
import io.weighbridge.runtime.walk.OwnWeight;
import java.lang.ref.Reference;
import java.util.concurrent.CountDownLatch;

/** Many matched classes, all constructed by many threads; prints what the runtime then holds. */
final class ManyClasses {
    static final int CLASSES = 5_000;
    static final int THREADS = 50;
    static final int ROUNDS = 4;

    private ManyClasses() {
    }

    public static void main(String[] arguments) throws Exception {
        TestJar jar = new TestJar().fillers("live", CLASSES).link();
        Object[] kept = new Object[CLASSES];
        CountDownLatch made = new CountDownLatch(THREADS);
        for (int t = 0; t < THREADS; t++) {
            int first = t * CLASSES / THREADS;
            Thread thread = new Thread(() -> {
                for (int i = 0; i < ROUNDS * CLASSES; i++) {
                    int ordinal = (first + i) % CLASSES;
                    Object object = new Object();
                    jar.live(object, Object.class, ordinal);
                    kept[ordinal] = object;
                }
                made.countDown();
                synchronized (made) {
                    try {
                        made.wait();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }, "maker-" + t);
            thread.setDaemon(true);
            thread.start();
        }
        made.await();
        System.gc();
        jar.population(0);
        long allocated = 0;
        for (long all : TestJar.registry().allocated()) {
            allocated += all;
        }
        long byMakers = 0;
        for (int group = 0; group < ThreadNames.size(); group++) {
            byMakers += ThreadNames.name(group).equals("maker-*") ? TestJar.registry().allocatedByGroup()[group] : 0;
        }
        long shared = 0;
        for (int ordinal = 0; ordinal < CLASSES; ordinal++) {
            shared += jar.entry(ordinal).shared.sum();
        }
        System.out.println(allocated + " " + OwnWeight.measure(Statics.with(Life.class)) + " " + byMakers + " " + shared);
        Reference.reachabilityFence(kept);
    }
}
