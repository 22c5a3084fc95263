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

    /** CPU time of the process in nanoseconds, or -1 in an image without {@code jdk.management}. */
    public static long processCpuNs() {
        try {
            return OperatingSystem.BEAN.getProcessCpuTime();
        } catch (LinkageError | RuntimeException absent) {
            return -1;
        }
    }

    /** Bytes that a thread has allocated, or -1: a virtual thread, or a JVM that does not tell. Some ten nanoseconds. */
    @SuppressWarnings("deprecation") // Thread.threadId is of JDK 19.
    public static long allocatedBy(Thread thread) {
        try {
            return Allocation.BEAN.getThreadAllocatedBytes(thread.getId());
        } catch (LinkageError | RuntimeException absent) {
            return -1;
        }
    }

    /** Needs {@code jdk.management}. */
    private static final class Allocation {
        static final com.sun.management.ThreadMXBean BEAN = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    }

    /** Needs {@code jdk.management}. */
    private static final class OperatingSystem {
        static final com.sun.management.OperatingSystemMXBean BEAN =
                (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    }

    private static final class Threads {
        /** Kept, because each look-up walks over all beans of the platform. */
        private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();

        static long cpuNs() {
            return BEAN.getCurrentThreadCpuTime();
        }
    }
}
