package io.weighbridge.runtime.walk;

/**
 * What {@code weighbridge heap measured} found in a heap dump of this JVM: the figures of a walk, of all objects that can be
 * reached. Its order is that of {@code cli/src/heap/measured.rs}.
 */
public final class DumpFigures {
    private static final int HEAD = 6;
    private static final int ROW = 8;
    private static final int COMPONENT = 6;
    /** All objects that can be reached. */
    public final long liveObjects;
    /** Their bytes. */
    public final long liveBytes;
    private final long[] numbers;
    private final int rows;
    private final int components;
    /** By row: JSON as it goes into the recording, or null. */
    final String[] holders;

    /** Null if the answer has not as many numbers as that. */
    public static DumpFigures of(Object[] answer, int rows, int components) {
        long[] numbers = (long[]) answer[0];
        return numbers.length < HEAD + rows * ROW + components * COMPONENT ? null
                : new DumpFigures(numbers, (String[]) answer[1], rows, components);
    }

    private DumpFigures(long[] numbers, String[] held, int rows, int components) {
        this.numbers = numbers;
        this.rows = rows;
        this.components = components;
        liveObjects = numbers[0];
        liveBytes = numbers[1];
        holders = new String[rows];
        for (int i = 0; i + 1 < held.length; i += 2) {
            holders[Integer.parseInt(held[i])] = held[i + 1];
        }
    }

    /** Objects, bytes, bytes outside the heap, and bytes that several components reach, of all that the rows reach. */
    long reachedObjects() {
        return numbers[2];
    }

    long reachedBytes() {
        return numbers[3];
    }

    long offHeapBytes() {
        return numbers[4];
    }

    long sharedOnce() {
        return numbers[5];
    }

    /** One figure of each row: objects, their bytes, own, own shared, deep, deep objects, exclusive, off heap. */
    long[] ofRows(int figure) {
        return every(HEAD + figure, ROW, rows);
    }

    /** One figure of each component: own, own shared, deep, exclusive, shared split evenly, off heap. */
    long[] ofComponents(int figure) {
        return every(HEAD + rows * ROW + figure, COMPONENT, components);
    }

    private long[] every(int first, int step, int count) {
        long[] figures = new long[count];
        for (int i = 0; i < count; i++) {
            figures[i] = numbers[first + i * step];
        }
        return figures;
    }

    /** Takes sets of tags that hold something together. */
    interface HeldByTags {
        void take(int[] tags, long bytes);
    }

    void eachTags(HeldByTags sink) {
        for (int at = HEAD + rows * ROW + components * COMPONENT; at < numbers.length; ) {
            int[] tags = new int[(int) numbers[at++]];
            for (int i = 0; i < tags.length; i++) {
                tags[i] = (int) numbers[at++];
            }
            sink.take(tags, numbers[at++]);
        }
    }

    /** The elements of an array at some indices. */
    static long[] at(long[] all, int[] indices) {
        long[] some = new long[indices.length];
        for (int i = 0; i < some.length; i++) {
            some[i] = all[indices[i]];
        }
        return some;
    }
}
