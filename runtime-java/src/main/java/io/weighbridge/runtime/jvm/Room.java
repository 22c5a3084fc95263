package io.weighbridge.runtime.jvm;

/**
 * Whether the heap has room for what is done for the first time.
 *
 * <p>A JDK class whose initializer meets the end of the heap can never be used again, by the program neither (JVMS
 * section 5.5). So the runtime's thread does nothing that may start one while the program is about to run out of memory.
 * That makes it rare; a program that fills its heap within the same milliseconds is not seen in time.
 */
public final class Room {
    private static final long ENOUGH = 4 << 20;
    /** Of the largest heap, so that small ones have room at all. */
    private static final int SHARE = 8;

    private Room() {
    }

    /** What is free now, garbage not counted, is 4 MiB or an eighth of the largest heap. */
    public static boolean forFirstUse() {
        Runtime heap = Runtime.getRuntime();
        long most = heap.maxMemory();
        long free = most - heap.totalMemory() + heap.freeMemory();
        return free >= Math.min(ENOUGH, most / SHARE);
    }
}
