package io.weighbridge.runtime.jvm;

/** How much of the heap is used, garbage included. Allocates nothing. */
public final class HeapUse {
    private static final int ATTEMPTS = 10;
    private static final Heap OWN = new Heap();

    private HeapUse() {
    }

    /** What the JVM tells of its heap, in two questions. */
    static class Heap {
        long committed() {
            return Runtime.getRuntime().totalMemory();
        }

        long free() {
            return Runtime.getRuntime().freeMemory();
        }
    }

    /** Used bytes. */
    public static long used() {
        return used(OWN);
    }

    /**
     * If a collection between the two questions lets the heap grow, more is free than there was before. So this asks again until
     * the heap is as large as before.
     */
    static long used(Heap heap) {
        long committed = heap.committed();
        for (int attempt = 1; ; attempt++) {
            long used = committed - heap.free();
            long after = heap.committed();
            if (used >= 0 && after == committed || attempt == ATTEMPTS) {
                return Math.max(0, used);
            }
            committed = after;
        }
    }

    /** Bytes that the heap may still take. */
    public static long left() {
        return Math.max(0, Runtime.getRuntime().maxMemory() - used());
    }
}
