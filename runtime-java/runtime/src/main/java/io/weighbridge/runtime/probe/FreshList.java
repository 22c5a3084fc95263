package io.weighbridge.runtime.probe;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The references of one class that no sweep has seen yet: a lock-free stack that any thread pushes on and the sweep takes
 * over whole.
 *
 * <p>The heads of {@link #ROW} lists lie side by side. A young collection looks through each card of the old generation
 * that refers to young objects. A row is a card or two; a head in each entry would be one card for each class.
 */
public final class FreshList {
    private static final int ROW = 128;
    /** Where the newest lists are; guarded by the class. */
    private static AtomicReferenceArray<Tracked> newest;
    private static int made;

    private final AtomicReferenceArray<Tracked> heads;
    private final int index;

    /** An empty one. */
    public FreshList() {
        synchronized (FreshList.class) {
            if (made % ROW == 0) {
                newest = new AtomicReferenceArray<>(ROW);
            }
            heads = newest;
            index = made++ % ROW;
        }
    }

    /** Adds a reference. For any thread, without a lock. */
    public void push(Tracked t) {
        Tracked head;
        do {
            head = heads.get(index);
            t.next = head;
        } while (!heads.compareAndSet(index, head, t));
    }

    /** The newest reference, linked to all others; the list is empty then. */
    public Tracked takeAll() {
        return heads.getAndSet(index, null);
    }
}
