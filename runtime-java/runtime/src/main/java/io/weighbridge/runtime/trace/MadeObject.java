package io.weighbridge.runtime.trace;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/** An object that is followed until it is collected. Linked with others of its allocation site, whose lock guards the links. */
final class MadeObject extends WeakReference<Object> {
    /** In the order of construction, from 1; it stays. */
    final long id;
    final long bornNs;
    /** The number of its allocation site. */
    final int site;
    /** Its identity hash code, and the next one in its row: for {@link ObjectRows}. */
    int hash;
    MadeObject chain;
    /** In seconds after the beginning of the trace. */
    int usedAt;
    private MadeObject before;
    private MadeObject next;

    /** The head of a ring. */
    MadeObject() {
        super(null);
        id = 0;
        bornNs = 0;
        site = -1;
        before = this;
        next = this;
    }

    MadeObject(Object object, ReferenceQueue<Object> queue, long id, long bornNs, int site) {
        super(object, queue);
        this.id = id;
        this.bornNs = bornNs;
        this.site = site;
    }

    MadeObject next() {
        return next;
    }

    /** Goes between this one's neighbour and it. */
    void before(MadeObject other) {
        next = other;
        before = other.before;
        before.next = this;
        other.before = this;
    }

    /** Leaves the ring; false if it had left. */
    boolean leave() {
        if (next == null) {
            return false;
        }
        before.next = next;
        next.before = before;
        before = null;
        next = null;
        return true;
    }
}
