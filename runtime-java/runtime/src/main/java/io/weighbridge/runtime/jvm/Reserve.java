package io.weighbridge.runtime.jvm;

/**
 * Memory of the heap that is kept for the end of a session with the native agent.
 *
 * <p>The runtime's last steps allocate, and to change a class back the JVM allocates in the heap. A program that fills its heap
 * and goes on leaves nothing for that, and takes at once what the runtime lets go of. So some arrays are kept, and a group of
 * them is let go right before memory is needed. A group is larger than what a thread takes at a time. A collector with regions
 * has room for new objects only when it has one that is empty, so a group is as large as two of them: threads that compact the
 * heap leave one half empty each. Its arrays are small: with G1 a large one would stay where it is and divide the free space
 * (JEP 423 and earlier).
 */
public final class Reserve {
    /** One for the runtime's own end, two for the classes. */
    private static final int GROUPS = 3;
    /** Of the largest heap, for each group; bytes. */
    private static final int HEAP_PART = 256;
    private static final int LEAST = 16 << 10;
    private static final int MOST = 2 << 20;
    private static final int REGIONS = 2;
    /** Regions that are a larger part of the largest heap are too large to keep. */
    private static final int MOST_HEAP_PART = 64;
    /** Bytes of an array. The smallest regions of G1 are 1 MiB, and half of that is large. */
    private static final int PIECE = 128 << 10;
    private static final byte[][][] KEPT = new byte[GROUPS][][];

    private Reserve() {
    }

    /** Keeps the arrays, as far as there is memory. */
    public static void keep() {
        int bytes = bytes(Runtime.getRuntime().maxMemory(), VmFlags.freedAtOnce());
        try {
            for (int i = 0; i < GROUPS; i++) {
                KEPT[i] = new byte[(bytes + PIECE - 1) / PIECE][Math.min(bytes, PIECE)];
            }
        } catch (OutOfMemoryError full) {
            // Then the end has less.
        }
    }

    /** Of a group, with this largest heap and regions. */
    static int bytes(long heap, long region) {
        long usual = Math.max(LEAST, Math.min(MOST, heap / HEAP_PART));
        long regions = REGIONS * region;
        return (int) (regions <= heap / MOST_HEAP_PART ? Math.max(usual, regions) : usual);
    }

    /** Lets one group go; false if there is none any more. Allocates nothing. */
    public static boolean free() {
        for (int i = 0; i < GROUPS; i++) {
            if (KEPT[i] != null) {
                KEPT[i] = null;
                return true;
            }
        }
        return false;
    }
}
