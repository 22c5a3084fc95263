package io.weighbridge;

/** The age of one tracked object: collections survived since it was registered. */
public final class Age {
    /** As {@code Registry.age} gives it. */
    private final long[] age;

    Age(long[] age) {
        this.age = age;
    }

    /** Young collections survived. */
    public int young() {
        return (int) age[0];
    }

    /** Full (or major) collections survived. */
    public int full() {
        return (int) age[1];
    }

    /** First registration number of its range: all objects registered between the same two collections have one age. */
    public long rangeStart() {
        return age[2];
    }

    /** First registration number after its range; {@link Long#MAX_VALUE} if no collection has ended it yet. */
    public long rangeEnd() {
        return age[3];
    }

    @Override
    public String toString() {
        return young() + " young and " + full() + " full collections";
    }
}
