package io.weighbridge.runtime.walk;

import java.util.Arrays;

/** A set of an object table's indices: one bit each. */
final class IndexBits {
    /** Index 0 is the lowest bit of the first. Replaced as the set grows. */
    long[] words = new long[1024];

    boolean has(int index) {
        return index >>> 6 < words.length && (words[index >>> 6] & 1L << index) != 0;
    }

    void add(int index) {
        if (index >>> 6 >= words.length) {
            words = Arrays.copyOf(words, Math.max(index + 64 >>> 6, words.length * 2));
        }
        words[index >>> 6] |= 1L << index;
    }

    void remove(int index) {
        if (index >>> 6 < words.length) {
            words[index >>> 6] &= ~(1L << index);
        }
    }

    long bytes() {
        return words.length * 8L;
    }
}
