package io.weighbridge;

/** The age of one tracked object: collections survived since it was registered. */
public final class Age {
    private final int young;
    private final int full;
    private final long rangeStart;
    private final long rangeEnd;

    Age(long[] age) {
        young = (int) age[0];
        full = (int) age[1];
        rangeStart = age[2];
        rangeEnd = age[3];
    }

    /** Young collections survived. */
    public int young() {
        return young;
    }

    /** Full (or major) collections survived. */
    public int full() {
        return full;
    }

    /** First registration number of its range: all objects registered between the same two collections have one age. */
    public long rangeStart() {
        return rangeStart;
    }

    /** First registration number after its range; {@link Long#MAX_VALUE} if no collection has ended it yet. */
    public long rangeEnd() {
        return rangeEnd;
    }

    @Override
    public String toString() {
        return young + " young and " + full + " full collections";
    }
}
