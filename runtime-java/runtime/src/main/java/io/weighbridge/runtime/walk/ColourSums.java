package io.weighbridge.runtime.walk;

import java.util.Arrays;

/** Objects and bytes that a walk has met so far, by one of the labels. Each object is in exactly one of the sums. */
final class ColourSums {
    private static final int LEAST = 64;
    private long[] objects = new long[LEAST];
    private long[] bytes = new long[LEAST];
    /** Shorter than the others where no object keeps anything outside the heap. */
    private long[] offHeap = new long[0];

    /** Adds so many objects ({@code number}: 1 or -1) with so many bytes each. */
    void add(int colour, int number, long size, long outside) {
        addAll(colour, number, number * size, number * outside);
    }

    void addAll(int colour, long number, long size, long outside) {
        if (colour >= objects.length) {
            int length = Math.max(colour + 1, objects.length * 2);
            objects = Arrays.copyOf(objects, length);
            bytes = Arrays.copyOf(bytes, length);
        }
        objects[colour] += number;
        bytes[colour] += size;
        if (outside != 0) {
            if (colour >= offHeap.length) {
                offHeap = Arrays.copyOf(offHeap, objects.length);
            }
            offHeap[colour] += outside;
        }
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

    /** By colour, a copy. */
    long[] objects() {
        return objects.clone();
    }

    /** By colour, a copy. */
    long[] bytes() {
        return bytes.clone();
    }

    /** By colour, a copy. */
    long[] offHeap() {
        return offHeap.clone();
    }

    /** Objects of all colours. */
    long objectsOfAll() {
        long sum = 0;
        for (long n : objects) {
            sum += n;
        }
        return sum;
    }

    /** After colours got new numbers; those that got 0 have no objects. */
    void renumber(int[] numbers, int size) {
        objects = renumbered(objects, numbers, size);
        bytes = renumbered(bytes, numbers, size);
        offHeap = offHeap.length == 0 ? offHeap : renumbered(offHeap, numbers, size);
    }

    private static long[] renumbered(long[] sums, int[] numbers, int size) {
        long[] renumbered = new long[size];
        for (int colour = 0; colour < Math.min(sums.length, numbers.length); colour++) {
            renumbered[numbers[colour]] += sums[colour];
        }
        return renumbered;
    }

    /** What this takes itself. */
    long ownBytes() {
        return (objects.length * 2L + offHeap.length) * 8;
    }
}
