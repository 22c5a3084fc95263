package io.weighbridge.runtime.walk;

import java.util.Arrays;

/**
 * Numbers of objects that must be read again.
 *
 * <p>A {@link java.util.BitSet} keeps its highest word: whoever clears that looks for the next below, through all that are
 * empty. Along a list, where one mark goes up from object to object, that takes the square of its length.
 */
final class Marks {
    private long[] words = new long[1024];
    private int count;
    /** No word above is in use. It falls only where a search has seen it. */
    private int highest;

    void set(int index) {
        int word = index >> 6;
        if (word >= words.length) {
            words = Arrays.copyOf(words, Math.max(word + 1, words.length * 2));
        }
        long bit = 1L << index;
        count += (words[word] & bit) == 0 ? 1 : 0;
        words[word] |= bit;
        highest = Math.max(highest, word);
    }

    void clear(int index) {
        int word = index >> 6;
        long bit = 1L << index;
        if (word <= highest && (words[word] & bit) != 0) {
            words[word] &= ~bit;
            count--;
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** The least mark that is no less than an index; negative if there is none. */
    int next(int index) {
        for (int word = index >> 6, first = word; count > 0 && word <= highest; word++) {
            long found = words[word] & (word == first ? -1L << index : -1L);
            if (found != 0) {
                return (word << 6) + Long.numberOfTrailingZeros(found);
            }
        }
        return -1;
    }

    /** The greatest mark; negative if there is none. */
    int last() {
        while (highest > 0 && words[highest] == 0) {
            highest--;
        }
        return previous((highest << 6) + 63);
    }

    /** The greatest mark that is no greater than an index, which may be -1; negative if there is none. */
    int previous(int index) {
        int first = Math.min(index >> 6, highest);
        for (int word = first; count > 0 && word >= 0; word--) {
            long found = words[word] & (word == index >> 6 ? -1L >>> ~index : -1L);
            if (found != 0) {
                return (word << 6) + 63 - Long.numberOfLeadingZeros(found);
            }
        }
        return -1;
    }

    long bytes() {
        return words.length * 8L;
    }
}
