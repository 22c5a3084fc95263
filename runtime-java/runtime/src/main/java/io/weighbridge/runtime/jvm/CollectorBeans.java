package io.weighbridge.runtime.jvm;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.util.ArrayList;
import java.util.List;

/**
 * The collectors' own counts and times, sorted into young and full collections, and what else the JVM's beans tell.
 *
 * <p>A concurrent collector's bean of {@code Cycles} counts collections, its bean of {@code Pauses} counts their
 * pauses (several each) but holds their time. "G1 Concurrent GC" (JDK 20, JDK-8297247) counts pauses of a marking
 * that is no collection. Loaded only where there is a {@code java.management} module.
 */
public final class CollectorBeans {
    private final List<GarbageCollectorMXBean> young = new ArrayList<>();
    private final List<GarbageCollectorMXBean> full = new ArrayList<>();
    private final List<GarbageCollectorMXBean> pauses = new ArrayList<>();
    private final RuntimeMXBean process = ManagementFactory.getRuntimeMXBean();
    /** As in the recording's header; null for one that is not known. */
    public final String collector;

    CollectorBeans() {
        String name = null;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            String kind = bean.getName();
            if (kind.endsWith("Pauses") || kind.equals("G1 Concurrent GC")) {
                pauses.add(bean);
                continue;
            }
            if (!kind.endsWith("Cycles")) {
                pauses.add(bean);
            }
            (isYoung(kind) ? young : full).add(bean);
            name = name == null ? nameOf(kind) : name;
        }
        collector = name;
        if ("ZGC".equals(name) && !young.isEmpty()) {
            Notices.note("generational ZGC clears weak references in major collections only: objects that died since the"
                    + " last major one still count as live, and deaths cannot be told by minor collection");
        }
    }

    /** Young collections so far. */
    public int youngCount() {
        return count(young);
    }

    /** Full collections so far; of a collector with cycles, those. */
    public int fullCount() {
        return count(full);
    }

    /** Milliseconds, accumulated. */
    public long pauseMs() {
        long sum = 0;
        for (GarbageCollectorMXBean bean : pauses) {
            sum += Math.max(0, bean.getCollectionTime());
        }
        return sum;
    }

    /** Milliseconds since the JVM started. */
    public long uptimeMs() {
        return process.getUptime();
    }

    /**
     * Whether a heap dump or class histogram of live objects, asked for after {@code fullBefore} full collections, has dead
     * ones. Collectors that work in pauses run before it unless they cannot; Epsilon never can. Others walk what is reachable.
     */
    public boolean skippedCollection(int fullBefore) {
        return worksInPauses() && fullCount() == fullBefore;
    }

    /** Whether objects move only in pauses, if at all, and the JVM walks its heap object by object, dead ones included. */
    public boolean worksInPauses() {
        return "G1".equals(collector) || "Parallel".equals(collector) || "Serial".equals(collector) || neverCollects();
    }

    /** Whether the collector marks the whole heap without a collection that its beans count as full. */
    public boolean hidesMarkings() {
        return "G1".equals(collector);
    }

    boolean neverCollects() {
        return "Epsilon".equals(collector);
    }

    private static int count(List<GarbageCollectorMXBean> beans) {
        long sum = 0;
        for (GarbageCollectorMXBean bean : beans) {
            sum += Math.max(0, bean.getCollectionCount());
        }
        return (int) sum;
    }

    private static boolean isYoung(String kind) {
        return kind.contains("Young") || kind.contains("Minor") || kind.equals("Copy") || kind.equals("PS Scavenge")
                || kind.equals("ParNew");
    }

    private static String nameOf(String kind) {
        for (String name : new String[] {"G1", "ZGC", "Shenandoah", "Epsilon"}) {
            if (kind.startsWith(name)) {
                return name;
            }
        }
        return kind.startsWith("PS") ? "Parallel"
                : kind.equals("Copy") || kind.equals("MarkSweepCompact") ? "Serial" : null;
    }
}
