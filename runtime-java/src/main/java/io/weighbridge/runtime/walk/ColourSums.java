package io.weighbridge.runtime.walk;

import java.util.Arrays;

/** Objects and bytes that a walk has met so far, by one of the labels. Each object is in exactly one of the sums. */
final class ColourSums {
    private long[] objects = new long[64];
    private long[] bytes = new long[64];
    private long[] offHeap = new long[64];

    /** Adds so many objects ({@code number}: 1 or -1) with so many bytes each. */
    void add(int colour, int number, long size, long outside) {
        if (colour >= objects.length) {
            int length = Math.max(colour + 1, objects.length * 2);
            objects = Arrays.copyOf(objects, length);
            bytes = Arrays.copyOf(bytes, length);
            offHeap = Arrays.copyOf(offHeap, length);
        }
        objects[colour] += number;
        bytes[colour] += number * size;
        offHeap[colour] += number * outside;
    }

    long objects(int colour) {
        return colour < objects.length ? objects[colour] : 0;
    }

    long bytes(int colour) {
        return colour < bytes.length ? bytes[colour] : 0;
    }

    /** Bytes outside the heap that the objects keep allocated. */
    long offHeap(int colour) {
        return colour < offHeap.length ? offHeap[colour] : 0;
    }

    /** Objects of all colours. */
    long objects() {
        long sum = 0;
        for (long n : objects) {
            sum += n;
        }
        return sum;
    }
}
