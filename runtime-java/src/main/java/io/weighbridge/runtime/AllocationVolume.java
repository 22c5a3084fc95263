package io.weighbridge.runtime;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

/**
 * Bytes that the whole program has allocated, live or dead: what advances the total of mark-and-count (S1.5).
 *
 * <p>The JVM adds up its threads' counters, dead ones included, from JDK 21 on. Before, the counters of the threads
 * that are alive are added here; what a thread allocates between the last look and its end is then missed, and the
 * figure is called estimated. Some microseconds a look, plus some nanoseconds a thread.
 */
abstract class AllocationVolume {
    /** For the recording: {@code jvm} (exact) or {@code threads} (estimated). */
    final String name;

    private AllocationVolume(String name) {
        this.name = name;
    }

    abstract long bytes();

    /** Null where the JVM tells nothing: no {@code jdk.management} module, or switched off. */
    static AllocationVolume find() {
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
            super("jvm");
            this.bean = bean;
            this.total = total;
        }

        @Override
        long bytes() {
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
            super("threads");
            this.bean = bean;
        }

        @Override
        long bytes() {
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
