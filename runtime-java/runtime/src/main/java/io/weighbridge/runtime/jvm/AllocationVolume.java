package io.weighbridge.runtime.jvm;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

/**
 * Bytes that the whole program has allocated, live or dead: what advances the total of mark-and-count.
 *
 * <p>The JVM adds up its threads' counters, dead ones included, from JDK 21 on (JDK-8304074, also in 17.0.9). Before,
 * the counters of the threads that are alive are added here. What a thread allocates between the last look and its end is
 * then missed: the figure says how much was allocated at least, and proves no ceiling ({@link #complete}). Some
 * microseconds a look, plus some nanoseconds a thread.
 */
public final class AllocationVolume {
    /** For the recording: {@code jvm} (exact) or {@code threads} (at least). */
    public final String name;
    private final ThreadMXBean bean;
    /** The JVM's own sum, or null. */
    private final Method total;
    private boolean complete;
    /** Bytes by the ids of the threads alive at the last look, and those of dead ones. */
    private Map<Long, Long> last = new HashMap<>();
    private long ofDead;

    private AllocationVolume(ThreadMXBean bean, Method total) {
        this.bean = bean;
        this.total = total;
        complete = total != null;
        name = complete ? "jvm" : "threads";
    }

    /** Null where the JVM tells nothing: no {@code jdk.management} module, or switched off. */
    public static AllocationVolume find() {
        try {
            ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            return bean.isThreadAllocatedMemorySupported() && bean.isThreadAllocatedMemoryEnabled()
                    ? new AllocationVolume(bean, total(bean)) : null;
        } catch (Throwable absent) {
            return null;
        }
    }

    private static Method total(ThreadMXBean bean) {
        try {
            Method total = ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes");
            return (Long) total.invoke(bean) >= 0 ? total : null;
        } catch (ReflectiveOperationException before21) {
            return null;
        }
    }

    /** Bytes so far. Less than before only if the JVM was told to stop counting. */
    public long bytes() {
        try {
            long bytes = total == null ? addUp() : (Long) total.invoke(bean);
            // The program may switch counting off at any time: what is allocated then is not known.
            complete &= bytes >= 0;
            return bytes;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether no byte was missed so far. */
    public boolean complete() {
        return complete;
    }

    private long addUp() {
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
