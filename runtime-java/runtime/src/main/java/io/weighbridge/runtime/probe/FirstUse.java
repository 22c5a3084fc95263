package io.weighbridge.runtime.probe;

import io.weighbridge.runtime.jvm.Randomness;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * Initialises what probes use, before there is a probe.
 *
 * <p>The program may construct its first object where its stack ends. An initializer that meets the end of the stack has
 * failed for good (JVMS 5.5), be it the runtime's or one of the JDK, which the program itself needs later.
 */
public final class FirstUse {
    /** Those that have an initializer. */
    private static final Class<?>[] CLASSES = {
        AllocationSites.class, AllocationSites.Node.class, Budget.class, ClassEntry.class, ClassTable.class, Clones.class,
        ClonesProbe.class, CountOthersProbe.class, CountProbe.class, Inside.class, LiveOthersProbe.class, LiveProbe.class,
        NearestClass.class, Randomness.class, StripeMemory.class, Stripes.class, Tags.class, ThreadNames.class
    };

    private static volatile boolean isDone;

    private FirstUse() {
    }

    /** Once, for a thread that has stack and memory. What follows the classes is for the JDK's part. */
    public static void prepare() throws ClassNotFoundException {
        if (isDone) {
            return;
        }
        for (Class<?> used : CLASSES) {
            Class.forName(used.getName());
        }
        ThreadLocalRandom.current();
        Randomness.gap(Randomness.seed(), 1);
        new LongAdder().increment();
        FreshList list = new FreshList();
        list.push(new Tracked(FirstUse.class, 1, 0, 0, null));
        list.takeAll();
        NearestClass.prepare();
        Stripes.of(Thread.currentThread());
        isDone = true;
    }
}
