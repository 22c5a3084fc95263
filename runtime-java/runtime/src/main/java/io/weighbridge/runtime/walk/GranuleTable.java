package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.Management;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Finds objects by their granules, so that neighbours on the heap are neighbours in the table and no header is touched.
 *
 * <p>A directory leads from a block of 256 bytes of heap to a line of 16 indices, one for each granule. A granule's entry is
 * a guess: the object found there is compared by identity, so an object is never taken for another. If a collection moves
 * an object, or a field changes between the reads of its bits and of its reference, the object is not found and gets a second
 * index. {@link #repair} compares the granules of all objects with those they were met at, corrects the table and merges such
 * pairs. A walk ends only after a pass that found every object in its granule, without a collection meanwhile. A second
 * object in a granule (8-byte objects under compact headers, or before a repair) goes to a map by identity.
 *
 * <p>16 bytes an object (reference, two labels, granule) and 70 bytes for each block in which one begins: 24 to 34 bytes an
 * object where most of the heap is reached.
 */
final class GranuleTable extends ObjectTable {
    private static final int LINE_BITS = 4;
    private static final int IN_LINE = (1 << LINE_BITS) - 1;
    private static final int CHUNK_BITS = 12;
    private static final int IN_CHUNK = (1 << CHUNK_BITS) - 1;
    private static final int IN_TAKEN = (1 << LINE_BITS + CHUNK_BITS - 6) - 1;
    private static final int LINES_BITS = BITS - LINE_BITS;
    /** Of line numbers and bits, with two array headers. */
    private static final long BYTES_OF_CHUNK = (IN_CHUNK + 1) * 4L + (IN_TAKEN + 1) * 8L + 32;
    /** Entries that are written together. */
    private static final int MOST_WAITING = 256;

    /** By block: the number of its line plus one. Chunks cover 1 MB of heap. */
    private final int[][] directory = new int[1 << 32 - LINE_BITS - CHUNK_BITS][];
    private int chunks;
    /** One bit a granule: it has an entry or will get one. Small enough for the cache, and most objects are new. */
    private final long[][] taken = new long[directory.length][];
    /** Indices plus one; 0 is free. Line 0 is not used. */
    private int[][] lines = new int[4][];
    private int lineCount = 1;
    /** Objects from this index on have their bits; their entries are written later, together. */
    private int entered;
    /** Keeps the loads of {@link #enterAll} from being removed. */
    private long touched;
    /** Where each object was when it was met or repaired. */
    private int[][] granules = new int[4][];
    private final Map<Object, Integer> crowded = new IdentityHashMap<>();
    private long collections = seenCollections();

    GranuleTable(boolean keepsHolders) {
        super(keepsHolders);
        lines[0] = new int[SEGMENT];
    }

    @Override
    int find(Object o, int granule) {
        enterAll();
        int entry = entry(granule);
        if (entry == 0) {
            return NONE;
        }
        return object(entry - 1) == o ? entry - 1 : crowdedIndex(o);
    }

    @Override
    boolean isNew(int granule) {
        long[] chunk = taken[granule >>> LINE_BITS + CHUNK_BITS];
        return chunk == null || (chunk[granule >>> 6 & IN_TAKEN] & 1L << granule) == 0;
    }

    /** No branch waits for a load: if the processor predicted it wrong, it would stop looking ahead. */
    @Override
    void guess(Encounters met, int count) {
        enterAll();
        for (int i = 0; i < count; i++) {
            met.indices[i] = Math.max(entry(met.granules[i]) - 1, 0);
        }
        for (int i = 0; i < count; i++) {
            int index = met.indices[i];
            met.indices[i] = object(index) == met.objects[i] ? index : NONE;
        }
    }

    private int crowdedIndex(Object o) {
        Integer index = crowded.get(o);
        return index == null ? NONE : index;
    }

    @Override
    int add(Object o, int granule, long colour, int holder) {
        int index = append(o, colour, holder);
        int segment = index >>> BITS;
        if ((index & IN_SEGMENT) == 0) {
            if (segment == granules.length) {
                granules = Arrays.copyOf(granules, segment * 2);
            }
            granules[segment] = new int[SEGMENT];
        }
        granules[segment][index & IN_SEGMENT] = granule;
        if (isNew(granule)) {
            take(granule);
        } else {
            crowded.put(o, index);
        }
        if (index - entered >= MOST_WAITING) {
            enterAll();
        }
        return index;
    }

    /** Many at a time, and the loads of their lines' numbers first: loads on which a branch depends would wait one by one. */
    private void enterAll() {
        int used = 0;
        for (int index = entered; index < size(); index++) {
            int granule = granules[index >>> BITS][index & IN_SEGMENT];
            used += directory[granule >>> LINE_BITS + CHUNK_BITS][granule >>> LINE_BITS & IN_CHUNK];
        }
        touched += used;
        boolean alone = crowded.isEmpty();
        for (; entered < size(); entered++) {
            int granule = granules[entered >>> BITS][entered & IN_SEGMENT];
            if (alone || entry(granule) == 0) {
                write(granule, entered + 1);
            }
        }
    }

    private int entry(int granule) {
        int[] chunk = directory[granule >>> LINE_BITS + CHUNK_BITS];
        int line = chunk == null ? 0 : chunk[granule >>> LINE_BITS & IN_CHUNK];
        return lines[line >>> LINES_BITS][(line << LINE_BITS | granule & IN_LINE) & IN_SEGMENT];
    }

    private void enter(int granule, int entry) {
        if (entry == 0) {
            taken[granule >>> LINE_BITS + CHUNK_BITS][granule >>> 6 & IN_TAKEN] &= ~(1L << granule);
        } else {
            take(granule);
        }
        write(granule, entry);
    }

    private void take(int granule) {
        int chunk = granule >>> LINE_BITS + CHUNK_BITS;
        if (taken[chunk] == null) {
            taken[chunk] = new long[IN_TAKEN + 1];
            directory[chunk] = new int[IN_CHUNK + 1];
            chunks++;
        }
        taken[chunk][granule >>> 6 & IN_TAKEN] |= 1L << granule;
    }

    /** In a chunk that is there. */
    private void write(int granule, int entry) {
        int[] chunk = directory[granule >>> LINE_BITS + CHUNK_BITS];
        int line = chunk[granule >>> LINE_BITS & IN_CHUNK];
        if (line == 0) {
            line = newLine();
            chunk[granule >>> LINE_BITS & IN_CHUNK] = line;
        }
        lines[line >>> LINES_BITS][(line << LINE_BITS | granule & IN_LINE) & IN_SEGMENT] = entry;
    }

    private int newLine() {
        int segment = lineCount >>> LINES_BITS;
        if (segment == lines.length) {
            lines = Arrays.copyOf(lines, segment * 2);
        }
        if (lines[segment] == null) {
            lines[segment] = new int[SEGMENT];
        }
        return lineCount++;
    }

    @Override
    boolean needsRepair() {
        return seenCollections() != collections;
    }

    @Override
    boolean repair(Duplicates found) {
        long before = seenCollections();
        enterAll();
        int[] astray = new int[64];
        int count = 0;
        for (int index = 0; index < size(); index++) {
            if (granuleNow(index) != granules[index >>> BITS][index & IN_SEGMENT] && object(index) != null) {
                astray = count == astray.length ? Arrays.copyOf(astray, count * 2) : astray;
                astray[count++] = index;
            }
        }
        boolean quiet = count == 0;
        for (int i = 0; i < count; i++) {
            int granule = granules[astray[i] >>> BITS][astray[i] & IN_SEGMENT];
            if (entry(granule) == astray[i] + 1) {
                enter(granule, 0);
            }
        }
        // Each may have a granule alone by now, or a second index in it.
        for (int index : crowded.values()) {
            astray = count == astray.length ? Arrays.copyOf(astray, count * 2) : astray;
            astray[count++] = index;
        }
        crowded.clear();
        Arrays.sort(astray, 0, count);
        for (int i = 0; i < count; i++) {
            if (object(astray[i]) != null) {
                quiet &= reenter(astray[i], found);
            }
        }
        collections = before;
        return quiet && seenCollections() == before;
    }

    /** Enters an object in the granule where it lies now; false if it was there already, under another index. */
    private boolean reenter(int index, Duplicates found) {
        Object o = object(index);
        int granule = granuleNow(index);
        granules[index >>> BITS][index & IN_SEGMENT] = granule;
        int entry = entry(granule);
        if (entry == 0) {
            enter(granule, index + 1);
            return true;
        }
        boolean here = object(entry - 1) == o;
        int other = here ? entry - 1 : crowdedIndex(o);
        if (other == index) {
            return true;
        }
        if (other == NONE) {
            crowded.put(o, index);
            return true;
        }
        int first = Math.min(index, other);
        int second = Math.max(index, other);
        found.merge(first, second);
        forget(second);
        granules[first >>> BITS][first & IN_SEGMENT] = granule;
        if (here) {
            enter(granule, first + 1);
        } else {
            crowded.put(o, first);
        }
        return false;
    }

    @Override
    long bytes() {
        return bytesOfOrder() + (size() + lineCount * 16L) * 4 + chunks * BYTES_OF_CHUNK + crowded.size() * 32L;
    }

    private static long seenCollections() {
        CollectorBeans beans = Management.collectors();
        return beans == null ? 0 : beans.youngCount() + (long) beans.fullCount();
    }
}
