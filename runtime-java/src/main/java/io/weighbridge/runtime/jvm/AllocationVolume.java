package io.weighbridge.runtime.jvm;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

/**
 * Bytes that the whole program has allocated, live or dead: what advances the total of mark-and-count.
 *
 * <p>The JVM adds up its threads' counters, dead ones included, from JDK 21 on (JDK-8304074, also in 17.0.9). Before,
 * the counters of the threads that are alive are added here; what a thread allocates between the last look and its end is
 * then missed: the figure says how much was allocated at least, and proves no ceiling ({@link #complete}). Some
 * microseconds a look, plus some nanoseconds a thread.
 */
public abstract class AllocationVolume {
    /** For the recording: {@code jvm} (exact) or {@code threads} (at least). */
    public final String name;
    private boolean complete;

    private AllocationVolume(String name, boolean complete) {
        this.name = name;
        this.complete = complete;
    }

    /** Bytes so far; less than before only if the JVM has been told to stop counting. */
    public final long bytes() {
        long bytes = read();
        // The program may switch counting off at any time; what was allocated meanwhile is then not known.
        complete &= bytes >= 0;
        return bytes;
    }

    /** Whether no byte was missed so far. */
    public final boolean complete() {
        return complete;
    }

    abstract long read();

    /** Null where the JVM tells nothing: no {@code jdk.management} module, or switched off. */
    public static AllocationVolume find() {
        try {
            return Beans.find();
        } catch (Throwable absent) {
            return null;
        }
    }

    private static final class Beans {
        static AllocationVolume find() {
            com.sun.management.ThreadMXBean bean = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            if (!bean.isThreadAllocatedMemorySupported() || !bean.isThreadAllocatedMemoryEnabled()) {
                return null;
            }
            try {
                Method total = com.sun.management.ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes");
                if ((Long) total.invoke(bean) >= 0) {
                    return new OfJvm(bean, total);
                }
            } catch (ReflectiveOperationException before21) {
                // Thread by thread.
            }
            return new OfThreads(bean);
        }
    }

    private static final class OfJvm extends AllocationVolume {
        private final Object bean;
        private final Method total;

        OfJvm(Object bean, Method total) {
            super("jvm", true);
            this.bean = bean;
            this.total = total;
        }

        @Override
        long read() {
            try {
                return (Long) total.invoke(bean);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static final class OfThreads extends AllocationVolume {
        private final com.sun.management.ThreadMXBean bean;
        private Map<Long, Long> last = new HashMap<>();
        private long ofDead;

        OfThreads(com.sun.management.ThreadMXBean bean) {
            super("threads", false);
            this.bean = bean;
        }

        @Override
        long read() {
            long[] ids = bean.getAllThreadIds();
            long[] allocated = bean.getThreadAllocatedBytes(ids);
            Map<Long, Long> seen = new HashMap<>(ids.length * 2);
            long sum = 0;
            for (int i = 0; i < ids.length; i++) {
                if (allocated[i] >= 0) {
                    sum += allocated[i];
                    seen.put(ids[i], allocated[i]);
                    last.remove(ids[i]);
                }
            }
            for (long bytes : last.values()) {
                ofDead += bytes;
            }
            last = seen;
            return sum + ofDead;
        }
    }
}
