package io.weighbridge.runtime.trace;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** Objects by their identity hash codes. Found without a lock. */
final class ObjectRows {
    private final AtomicReferenceArray<MadeObject> rows;
    private final int mask;

    /** @param size of the table, a power of two; it does not grow */
    ObjectRows(int size) {
        rows = new AtomicReferenceArray<>(size);
        mask = size - 1;
    }

    MadeObject find(Object object) {
        int hash = System.identityHashCode(object);
        for (MadeObject made = rows.get(hash & mask); made != null; made = made.chain) {
            if (made.hash == hash && made.get() == object) {
                return made;
            }
        }
        return null;
    }

    void add(MadeObject made, Object object) {
        made.hash = System.identityHashCode(object);
        int row = made.hash & mask;
        synchronized (rows) {
            made.chain = rows.get(row);
            rows.set(row, made);
        }
    }

    void remove(MadeObject made) {
        int row = made.hash & mask;
        synchronized (rows) {
            MadeObject other = rows.get(row);
            if (other == made) {
                rows.set(row, made.chain);
                return;
            }
            while (other != null && other.chain != made) {
                other = other.chain;
            }
            if (other != null) {
                other.chain = made.chain;
            }
        }
    }
}
