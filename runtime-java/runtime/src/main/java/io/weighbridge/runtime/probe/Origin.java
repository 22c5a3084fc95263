package io.weighbridge.runtime.probe;

/** Who constructed an object, in {@link #BITS} bits: the group of its thread ({@link ThreadNames}) and the tags in force ({@link Tags}). */
public final class Origin {
    static final int BITS = 24;
    private static final int GROUP_BITS = 8;
    /** Groups have smaller ids. */
    public static final int GROUPS = 1 << GROUP_BITS;

    private Origin() {
    }

    static int of(int group, int tags) {
        return tags << GROUP_BITS | group;
    }

    /** The group of the thread. */
    public static int group(int origin) {
        return origin & GROUPS - 1;
    }

    /** The combination of tags. */
    public static int tags(int origin) {
        return origin >>> GROUP_BITS;
    }
}
