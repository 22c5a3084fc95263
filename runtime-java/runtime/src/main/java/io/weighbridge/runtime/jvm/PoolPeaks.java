package io.weighbridge.runtime.jvm;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.ArrayList;
import java.util.List;

/**
 * A ceiling of live bytes for JVMs that do not say what ended threads have allocated: the sum of the greatest usage that
 * the JVM has seen in each pool of the heap.
 *
 * <p>Holds for collectors that free memory only in pauses (G1, Parallel, Serial). The JVM looks at its pools when a
 * collection begins ({@code MemoryService::gc_begin}) and when it is asked. Between two looks usage only grows; what G1's
 * Remark frees in between was dead when its marking began, which was a collection. The pools' peaks may be of different
 * moments, so the sum is an upper bound and seldom a near one. It is too low if the program resets the peaks
 * ({@code resetPeakUsage}); once a peak is seen to fall, there is no ceiling.
 */
public final class PoolPeaks {
    private static final long UNKNOWN = -1;
    private final List<MemoryPoolMXBean> pools = new ArrayList<>();
    /** G1 updates its figures when a region is full: the region that is being filled is missing. */
    private final long slack;
    private long greatest;

    private PoolPeaks(long slack) {
        this.slack = slack;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP) {
                pools.add(pool);
            }
        }
    }

    /** Null where the pools' peaks prove nothing: a collector works beside the program, or each processor has an eden. */
    public static PoolPeaks find() {
        CollectorBeans beans = Management.collectors();
        if (beans == null || !beans.worksInPauses()) {
            return null;
        }
        try {
            HotSpotDiagnosticMXBean flags = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            boolean g1 = "G1".equals(beans.collector);
            return Boolean.parseBoolean(flags.getVMOption("UseNUMA").getValue()) ? null
                    : new PoolPeaks(g1 ? Long.parseLong(flags.getVMOption("G1HeapRegionSize").getValue()) : 0);
        } catch (RuntimeException | LinkageError notThisJvm) {
            return null;
        }
    }

    /** Live bytes were never more, up to now; negative if that is not known. */
    public long ceiling() {
        long sum = slack;
        for (MemoryPoolMXBean pool : pools) {
            sum += pool.getPeakUsage().getUsed();
        }
        greatest = greatest == UNKNOWN || sum < greatest ? UNKNOWN : sum;
        return greatest;
    }
}
