package io.weighbridge.runtime;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** The flags of this JVM that decide how objects are laid out; guesses where it does not say. */
final class VmFlags {
    /** Up to this heap size HotSpot compresses references by default. */
    private static final long COMPRESSIBLE = 32L << 30;
    final boolean compressedOops;
    final boolean compressedClassPointers;
    final boolean compactHeaders;
    /** Bytes; every object's size is a multiple. */
    final int alignment;

    private VmFlags(boolean oops, boolean classes, boolean compact, int alignment) {
        this.compressedOops = oops;
        this.compressedClassPointers = classes;
        this.compactHeaders = compact;
        this.alignment = alignment;
    }

    static VmFlags read() {
        boolean small = Runtime.getRuntime().maxMemory() < COMPRESSIBLE;
        try {
            return Bean.flags(small);
        } catch (Throwable absent) {
            return new VmFlags(small, true, false, 8);
        }
    }

    /** A class of its own, because {@code jdk.management} may be absent. */
    private static final class Bean {
        static VmFlags flags(boolean small) {
            HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return new VmFlags(flag(bean, "UseCompressedOops", small), flag(bean, "UseCompressedClassPointers", true),
                    flag(bean, "UseCompactObjectHeaders", false), Integer.parseInt(value(bean, "ObjectAlignmentInBytes", "8")));
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
}
