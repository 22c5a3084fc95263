package io.weighbridge.runtime.jvm;

import java.lang.invoke.MethodHandle;

/**
 * Where objects lie: the number of an object's granule (16 bytes of heap), from the bits of a reference in a field.
 *
 * <p>Known only where fields are read raw, and where objects move only in pauses, which the collectors' beans count: with
 * Serial, Parallel, G1 and Epsilon. ZGC and Shenandoah move objects beside the program. The number holds until the next
 * collection. {@code GranuleTable} uses it only as a guess of where to look.
 */
public final class Addresses {
    /** Beyond this, numbers of uncompressed references would repeat. */
    private static final long LARGEST_HEAP = 60L << 30;
    /** Bytes before the first element of an array of references, and between two. */
    static final int BASE;
    static final int SCALE;
    /** False if addresses mean nothing in this JVM; {@link #of} then gives 0. */
    public static final boolean KNOWN;
    private static final boolean NARROW;
    private static final int SHIFT;
    /** One for the width of a reference; the other is null. Both are null where fields are not read raw. */
    private static final MethodHandle INT;
    private static final MethodHandle LONG;

    static {
        FieldAccess access = FieldAccess.get();
        BASE = access.arrayBase;
        SCALE = access.arrayScale;
        NARROW = SCALE == 4;
        INT = access.complete() && NARROW ? access.getInt() : null;
        LONG = access.complete() && !NARROW ? access.getLong() : null;
        KNOWN = access.complete() && movesInPauses() && Runtime.getRuntime().maxMemory() <= LARGEST_HEAP;
        SHIFT = !KNOWN ? 0 : NARROW ? narrowShift(ObjectSizes.get().flags().alignment) : 4;
    }

    private Addresses() {
    }

    /** The granule of the object in a reference field. Granules are as large as the alignment if that is above 16 bytes. */
    public static int of(Object object, long offset) {
        return KNOWN ? bits(object, offset) : 0;
    }

    /** The offset of an array's element. */
    public static long element(int index) {
        return BASE + (long) index * SCALE;
    }

    private static int bits(Object object, long offset) {
        try {
            if (NARROW) {
                return (int) INT.invokeExact(object, offset) >>> SHIFT;
            }
            return (int) ((long) LONG.invokeExact(object, offset) >>> SHIFT);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static boolean movesInPauses() {
        CollectorBeans beans = Management.collectors();
        return beans != null && beans.worksInPauses();
    }

    /**
     * A compressed reference counts bytes if the heap lies below 4 GB, else units of the alignment. If it counts bytes, no
     * reference has a bit below the alignment.
     */
    private static int narrowShift(int alignment) {
        Object[] samples = new Object[256];
        int seen = 0;
        for (int i = 0; i < samples.length; i++) {
            samples[i] = new long[i % 3];
            try {
                seen |= (int) INT.invokeExact((Object) samples, element(i));
            } catch (Throwable impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        if ((seen & alignment - 1) == 0) {
            return Math.max(4, Integer.numberOfTrailingZeros(alignment));
        }
        return alignment == 8 ? 1 : 0;
    }
}
