package io.weighbridge.runtime.jvm;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.ArrayList;
import java.util.List;

/**
 * A ceiling of live bytes for JVMs that do not say what ended threads have allocated: the sum of the greatest usage that
 * the JVM itself has seen in each pool of the heap.
 *
 * <p>Holds for collectors that free memory in pauses only (G1, Parallel, Serial). The JVM looks at its pools when a
 * collection begins ({@code MemoryService::gc_begin}) and when it is asked. Between two such looks usage only grows, and
 * what G1's Remark frees in between was dead when its marking began, which was a collection. Each pool's peak may be
 * of another moment, so the sum is an upper bound and seldom a near one. It is too low if somebody else resets the peaks
 * ({@code resetPeakUsage}); where a peak is seen to fall, there is no ceiling any more.
 */
public final class PoolPeaks {
    private static final long UNKNOWN = -1;
    private final List<MemoryPoolMXBean> pools = new ArrayList<>();
    /** G1 brings its figures up to date when a region is full: one region is allocated from. */
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

    /** Null where the pools' peaks prove nothing: with a collector that works beside the program, or an eden for each processor. */
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
