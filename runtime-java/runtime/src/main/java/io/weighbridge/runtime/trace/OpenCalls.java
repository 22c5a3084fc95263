package io.weighbridge.runtime.trace;

import java.util.Arrays;

/** The calls that are open on one thread, and those that they have made: the tree of the outermost one. Only its thread uses it. */
final class OpenCalls {
    /** Calls that one tree keeps; of others only the number is known. */
    static final int MOST = 2000;
    private static final int MOST_ARGUMENTS = 4;
    /** Open calls that are followed; deeper ones are only counted. */
    private static final int DEEPEST = 500;

    /** Of each call of the tree, in the order of their beginnings. */
    int[] sites = new int[16];
    int[] callers = new int[16];
    long[] begins = new long[16];
    long[] lengths = new long[16];
    boolean[] thrown = new boolean[16];
    /** Of each call the classes of its arguments, null for that of null; null if nobody told them. Emptied with the tree. */
    Class<?>[][] arguments = new Class<?>[16][];
    private final Class<?>[] next = new Class<?>[MOST_ARGUMENTS];
    private int nexts;
    int size;
    /** Calls for which there was no room. */
    int more;
    private int[] open = new int[16];
    private int depth;

    /** The call that begins next has an argument of this class. */
    void argument(Class<?> type) {
        if (nexts < MOST_ARGUMENTS) {
            next[nexts++] = type;
        }
    }

    /** A call begins; whether it is kept. */
    boolean begin(int site, long now) {
        int told = nexts;
        nexts = 0;
        if (size == MOST || depth == DEEPEST) {
            more++;
            return false;
        }
        if (size == sites.length) {
            grow();
        }
        if (depth == open.length) {
            open = Arrays.copyOf(open, 2 * depth);
        }
        sites[size] = site;
        callers[size] = depth == 0 ? -1 : open[depth - 1];
        begins[size] = now;
        lengths[size] = -1;
        thrown[size] = false;
        arguments[size] = told == 0 ? null : Arrays.copyOf(next, told);
        open[depth++] = size++;
        return true;
    }

    /**
     * The call of this method that began then ends. So do those within it that nobody has told of: constructors that threw before
     * they had called {@code super(...)}. Whether no call is open now.
     */
    boolean end(int site, long begin, long now, boolean byException) {
        int at = depth - 1;
        while (at >= 0 && (begins[open[at]] != begin || sites[open[at]] != site)) {
            at--;
        }
        if (at < 0) {
            return false;
        }
        for (int level = depth - 1; level >= at; level--) {
            lengths[open[level]] = now - begins[open[level]];
            thrown[open[level]] = level > at || byException;
        }
        depth = at;
        return at == 0;
    }

    /** The tree was taken, or is of no interest. */
    void clear() {
        Arrays.fill(arguments, 0, size, null);
        Arrays.fill(next, null);
        size = 0;
        more = 0;
        depth = 0;
    }

    private void grow() {
        int length = 2 * size;
        sites = Arrays.copyOf(sites, length);
        callers = Arrays.copyOf(callers, length);
        begins = Arrays.copyOf(begins, length);
        lengths = Arrays.copyOf(lengths, length);
        thrown = Arrays.copyOf(thrown, length);
        arguments = Arrays.copyOf(arguments, length);
    }
}
