package io.weighbridge.runtime.walk;

/** What a walk found to hold the roots. The holder of another object is the one by which it was met. */
final class RootHolders {
    /** Steps up from a holder in search of the root that it was reached from. */
    private static final int UPWARDS = 32;
    private final ObjectTable met;
    /** Objects before this index are roots. */
    private final int roots;
    /** By root: an object of another class holds it. Then no other holder is sought. */
    private final boolean[] heldByOther;

    RootHolders(ObjectTable met, int roots) {
        this.met = met;
        this.roots = roots;
        heldByOther = new boolean[roots];
    }

    /**
     * Remembers what holds a root: an object that is reached from another root, preferably from one of another class.
     */
    void hold(int root, int holder) {
        if (heldByOther[root]) {
            return;
        }
        int from = holder;
        for (int steps = 0; from >= roots && steps < UPWARDS; steps++) {
            from = met.holder(from);
        }
        if (from == root) {
            return;
        }
        Object source = met.object(from);
        boolean other = from >= roots || source == null || source.getClass() != met.object(root).getClass();
        if (other || met.holder(root) == ObjectTable.NONE) {
            met.holder(root, holder);
            heldByOther[root] = other;
        }
    }

    /** Shortens a chain within one class, so that the way up from the end of a long list is short. */
    void shorten(int index, Object o) {
        int holder = met.holder(index);
        Object above = met.object(holder);
        if (holder >= roots && above != null && above.getClass() == o.getClass()) {
            met.holder(index, met.holder(holder));
        }
    }
}
