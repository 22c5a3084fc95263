package io.weighbridge.runtime.walk;

/** Sets of root classes (ordinals of classes with roots), each with one bit. A set's number is a colour. */
final class RootClassSets extends InternedSets {
    private final int words;

    RootClassSets(int rootClasses) {
        super(new int[rootClasses + 31 >>> 5]);
        words = rootClasses + 31 >>> 5;
    }

    boolean contains(int colour, int rootClass) {
        return (get(colour)[rootClass >>> 5] & 1 << rootClass) != 0;
    }

    int only(int rootClass) {
        int[] set = new int[words];
        set[rootClass >>> 5] = 1 << rootClass;
        return intern(set);
    }

    int without(int colour, int rootClass) {
        if (!contains(colour, rootClass)) {
            return colour;
        }
        int[] set = get(colour).clone();
        set[rootClass >>> 5] &= ~(1 << rootClass);
        return intern(set);
    }

    @Override
    int[] united(int[] a, int[] b) {
        int[] set = a.clone();
        for (int i = 0; i < words; i++) {
            set[i] |= b[i];
        }
        return set;
    }
}
