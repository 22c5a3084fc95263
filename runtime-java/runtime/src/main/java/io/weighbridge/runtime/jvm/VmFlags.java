package io.weighbridge.runtime.jvm;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** The flags that decide how objects are laid out and what {@code System.gc()} does. Guesses what the JVM does not tell. */
public final class VmFlags {
    /** Up to this heap size HotSpot compresses references by default. */
    private static final long COMPRESSIBLE = 32L << 30;
    /** Mark word, compressed class pointer and length: the base of arrays with 4-byte elements unless headers are compact. */
    private static final int USUAL_BASE = 16;
    private static final int REGIONS = 2048;
    private static final long LEAST_REGION_OF_G1 = 1 << 20;
    private static final long LEAST_REGION_OF_SHENANDOAH = 256 << 10;
    private static final long MOST_REGION = 32 << 20;
    private static final long SMALL_PAGE_OF_Z = 2 << 20;
    /** References take 4 bytes. */
    public final boolean compressedOops;
    /** An object's pointer to its class takes 4 bytes. */
    public final boolean compressedClassPointers;
    /** Headers take 8 bytes (JEP 450). */
    public final boolean compactHeaders;
    /** Bytes; every object's size is a multiple. */
    public final int alignment;

    private VmFlags(boolean oops, boolean classes, boolean compact, int alignment) {
        this.compressedOops = oops;
        this.compressedClassPointers = classes;
        this.compactHeaders = compact;
        this.alignment = alignment;
    }

    /**
     * What follows from the access is not asked again: for a flag that this version does not have, the JDK makes an exception
     * and loads six classes for its message.
     */
    public static VmFlags read(FieldAccess access) {
        boolean small = Runtime.getRuntime().maxMemory() < COMPRESSIBLE;
        try {
            HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            boolean usual = access.arrayBase == USUAL_BASE && access.arrayScale == 4;
            return new VmFlags(usual || flag(bean, "UseCompressedOops", small),
                    usual || flag(bean, "UseCompressedClassPointers", true),
                    !usual && flag(bean, "UseCompactObjectHeaders", false),
                    Integer.parseInt(value(bean, "ObjectAlignmentInBytes", "8")));
        } catch (Throwable absent) {
            return new VmFlags(small, true, false, 8);
        }
    }

    /**
     * Whether {@code System.gc()} collects before it returns: no flag tells the JVM to do otherwise. A collector that works
     * beside the program is waited for all the same; that it should do so is Shenandoah's default.
     */
    public static boolean collectsOnRequest(boolean inPauses) {
        try {
            HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return !flag(bean, "DisableExplicitGC", true)
                    && !(inPauses && flag(bean, "ExplicitGCInvokesConcurrent", true));
        } catch (Throwable absent) {
            return false;
        }
    }

    /** Bytes of the parts in which the collector frees the heap for new objects: a region or page; 0 if it has none. */
    public static long freedAtOnce() {
        try {
            HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            // Those that each version has come first: to ask for a flag that is not there makes an exception.
            if (flag(bean, "UseG1GC", false)) {
                return region(bean, "G1HeapRegionSize", LEAST_REGION_OF_G1);
            }
            if (flag(bean, "UseParallelGC", false) || flag(bean, "UseSerialGC", false)) {
                return 0;
            }
            if (flag(bean, "UseZGC", false)) {
                return SMALL_PAGE_OF_Z;
            }
            return flag(bean, "UseShenandoahGC", false) ? region(bean, "ShenandoahRegionSize", LEAST_REGION_OF_SHENANDOAH) : 0;
        } catch (Throwable absent) {
            return 0;
        }
    }

    /** What the flag says, or else what the JVM chooses: a power of two, so that there are about two thousand. */
    private static long region(HotSpotDiagnosticMXBean bean, String name, long least) {
        long told = Long.parseLong(value(bean, name, "0"));
        long chosen = Long.highestOneBit(Runtime.getRuntime().maxMemory() / REGIONS);
        return told > 0 ? told : Math.max(least, Math.min(chosen, MOST_REGION));
    }

    private static boolean flag(HotSpotDiagnosticMXBean bean, String name, boolean otherwise) {
        return Boolean.parseBoolean(value(bean, name, String.valueOf(otherwise)));
    }

    private static String value(HotSpotDiagnosticMXBean bean, String name, String otherwise) {
        try {
            return bean.getVMOption(name).getValue();
        } catch (IllegalArgumentException notInThisVersion) {
            return otherwise;
        }
    }
}
