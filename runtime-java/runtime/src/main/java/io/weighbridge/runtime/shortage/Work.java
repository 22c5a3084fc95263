package io.weighbridge.runtime.shortage;

import io.weighbridge.runtime.jvm.Management;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A piece of work that can be cancelled: a scope, a call of a named method, or what a thread does as a whole.
 *
 * <p>Opened and closed by its own thread. Whoever cancels it holds its lock, so that neither the flag nor the interrupt meets
 * what the thread does next.
 */
public final class Work {
    /** The key of calls of a method that the policy names. */
    static final String METHOD = "method";
    /** Between two throws: cleaning up must get through its own checkpoints. */
    private static final long AGAIN_NS = 100_000_000;
    /** For methods, whose probes keep a number only. */
    final long number;
    final Thread thread;
    /** Null for a thread as a whole. */
    final String key;
    final String value;
    /** The thread's work around this one, or null. */
    final Work outer;
    /** Where its thread has its innermost work; null for a thread as a whole. */
    final AtomicReference<Object> cell;
    final long startNs = System.nanoTime();
    /** What the thread had allocated then; negative if that is not known. */
    final long allocatedBefore;
    /** Read by the agent, by this name, while the thread is suspended. */
    private volatile boolean open = true;
    /** Why it is cancelled; null while it is not. */
    private volatile String cancelled;
    private boolean interrupted;
    private long nextThrow;
    /** Of a method: the policy names it among those that may be cancelled. */
    final boolean isPermitted;
    /** Of a method with a gate that is also permitted by another pattern: the name that the gate asks for. Null for {@link #name}. */
    String gate;
    /** How often the method ran again. */
    int retries;

    Work(long number, Thread thread, String key, String value, boolean isPermitted, AtomicReference<Object> cell,
            long allocatedBefore) {
        this.number = number;
        this.thread = thread;
        this.key = key;
        this.value = value;
        this.isPermitted = isPermitted;
        this.cell = cell;
        outer = cell == null ? null : (Work) cell.get();
        this.allocatedBefore = allocatedBefore;
    }

    /** As the policy and people write it. */
    String name() {
        return key == null ? thread.getName() : key + "=" + value;
    }

    boolean isThread() {
        return key == null;
    }

    boolean isOpen() {
        return open && thread.isAlive();
    }

    boolean isCancelled() {
        return cancelled != null;
    }

    /** Bytes that its thread has allocated since it began; negative if that is not known. */
    long allocated() {
        long now = allocatedBefore < 0 ? -1 : Management.allocatedBy(thread);
        return now < 0 ? -1 : Math.max(0, now - allocatedBefore);
    }

    /** From now on its checkpoints throw. False if it has ended. */
    synchronized boolean cancel(String reason, boolean interrupt) {
        if (!isOpen()) {
            return false;
        }
        cancelled = reason;
        if (interrupt) {
            interrupted = true;
            try {
                thread.interrupt();
            } catch (RuntimeException refused) {
                // A subclass of Thread, or a security manager: then it is not interrupted.
            }
        }
        return true;
    }

    /** Takes the cancelling back: it did not end, or need not. */
    synchronized void spare() {
        cancelled = null;
    }

    /** By its own thread. An interrupt of ours that nobody has seen is taken away: the thread's next work is not meant. */
    synchronized void close() {
        open = false;
        if (interrupted && thread == Thread.currentThread()) {
            Thread.interrupted();
        }
    }

    /** Why this or outer work is to end now, or null. By its own thread. */
    String due() {
        for (Work work = this; work != null; work = work.outer) {
            String reason = work.cancelled;
            long now = System.nanoTime();
            if (reason != null && (work.nextThrow == 0 || now - work.nextThrow > 0)) {
                work.nextThrow = now + AGAIN_NS;
                return reason;
            }
        }
        return null;
    }
}
