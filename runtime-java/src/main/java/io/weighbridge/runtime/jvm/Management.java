package io.weighbridge.runtime.jvm;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The JVM's management beans, in an image that has them. Each is loaded at its first use. */
public final class Management {
    private static volatile CollectorBeans collectors;
    private static volatile boolean asked;

    private Management() {
    }

    /** The collectors' beans, or null in an image without {@code java.management}. Loads them at the first call. */
    public static CollectorBeans collectors() {
        if (!asked) {
            try {
                collectors = new CollectorBeans();
            } catch (LinkageError | RuntimeException absent) {
                Notices.note("no java.management module: collections are not counted, only seen");
            }
            asked = true;
        }
        return collectors;
    }

    /** CPU time of the current thread in nanoseconds, or -1 (no {@code java.management}, a virtual thread). */
    public static long threadCpuNs() {
        try {
            return Threads.cpuNs();
        } catch (Throwable absent) {
            return -1;
        }
    }

    private static final class Threads {
        /** Kept, because each look-up walks over all beans of the platform. */
        private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();

        static long cpuNs() {
            return BEAN.getCurrentThreadCpuTime();
        }
    }
}
