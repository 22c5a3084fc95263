package io.weighbridge.runtime.shortage;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The gate: while memory is short, new work waits until there is room for what work of its tag needs ({@link Needs}), and is
 * refused after some time. While it is not, a question costs one volatile read.
 */
final class Admission {
    private final Needs needs;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile boolean isShort;
    /** Bytes that new work may use. Guarded by the lock. */
    private long room;
    /** Work was refused since the last {@link #isAsked}. Guarded by the lock. */
    private boolean asked;
    private final AtomicLong delayed = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    Admission(Needs needs) {
        this.needs = needs;
    }

    /** Memory is short, or no longer; {@code bytes} may be used by new work while it is. */
    void set(boolean nowShort, long bytes) {
        lock.lock();
        try {
            room = bytes;
            isShort = nowShort;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isShort() {
        return isShort;
    }

    /**
     * Whether work of a tag may begin; waits for {@code waitMs} at most. An interrupt ends the waiting, and stays set. Work of
     * which nothing is known waits as if it needed all.
     */
    boolean admit(String key, String value, long waitMs) {
        if (!isShort) {
            return true;
        }
        long need = needs.of(key, value);
        long left = TimeUnit.MILLISECONDS.toNanos(waitMs);
        boolean waited = false;
        lock.lock();
        try {
            while (isShort && !(need >= 0 && need <= room)) {
                if (left <= 0) {
                    asked = true;
                    refused.incrementAndGet();
                    return false;
                }
                if (!waited) {
                    waited = true;
                    delayed.incrementAndGet();
                }
                left = changed.awaitNanos(left);
            }
            if (isShort) {
                room -= need;
            }
            return true;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            refused.incrementAndGet();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Whether work waits, or was refused since the last question. */
    boolean isAsked() {
        lock.lock();
        try {
            boolean is = asked || lock.hasWaiters(changed);
            asked = false;
            return is;
        } finally {
            lock.unlock();
        }
    }

    /** How often work had to wait. */
    long delayed() {
        return delayed.get();
    }

    /** How often work was refused. */
    long refused() {
        return refused.get();
    }
}
