package io.weighbridge.runtime.shortage;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.NativeAgent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** The work that is under way. Opening and closing one costs some 200 ns. */
final class Works {
    private final Set<Work> open = ConcurrentHashMap.newKeySet();
    /** The thread that is cancelled as a whole, or null. */
    private volatile Work cancelledThread;
    /** The thread's innermost work. Of classes of the JDK alone: threads keep the cell when the runtime has gone. */
    private final ThreadLocal<AtomicReference<Object>> current = new ThreadLocal<>();
    private final AtomicLong numbers = new AtomicLong();
    private final Needs needs;
    /** What the probes of named methods call while something is cancelled. */
    private final Runnable checkpoint;
    private volatile boolean polled;

    Works(Needs needs, Runnable checkpoint) {
        this.needs = needs;
        this.checkpoint = checkpoint;
    }

    /** Whether something is cancelled: checkpoints ask only then. */
    boolean isPolled() {
        return polled;
    }

    /** Something is cancelled, or nothing any more. */
    void poll(boolean on) {
        polled = on;
        if (NativeAgent.isPresent()) {
            NativeMethods.checkpoints(on ? checkpoint : null);
        }
    }

    /** The current thread begins a piece of work. */
    Work begin(String key, String value, boolean isPermitted) {
        Thread thread = Thread.currentThread();
        AtomicReference<Object> cell = current.get();
        if (cell == null) {
            cell = new AtomicReference<>();
            current.set(cell);
        }
        Work work = new Work(numbers.incrementAndGet(), thread, key, value, isPermitted, cell, Management.allocatedBy(thread));
        open.add(work);
        cell.set(work);
        return work;
    }

    /** The current thread ends a piece of work, and all that it began within it. */
    void end(long number) {
        Work work = numbered(number);
        if (work != null) {
            closeTo(work);
        }
        // Else it was ended with one around it, or belongs to another thread.
    }

    private void closeTo(Work ended) {
        Work innermost = innermost();
        for (Work work = innermost; work != ended.outer; work = work.outer) {
            work.close();
            open.remove(work);
        }
        ended.cell.set(ended.outer);
        // Last, because it may run out of memory.
        for (Work work = innermost; work != ended.outer; work = work.outer) {
            needs.ended(work);
        }
    }

    /** The current thread's innermost work, or null. */
    private Work innermost() {
        AtomicReference<Object> cell = current.get();
        return cell == null ? null : (Work) cell.get();
    }

    /** The current thread's work with this number, or null. */
    Work numbered(long number) {
        for (Work work = innermost(); work != null; work = work.outer) {
            if (work.number == number) {
                return work;
            }
        }
        return null;
    }

    /** The runtime goes: threads must not keep what belongs to it. */
    void abandon() {
        for (Work work : open) {
            work.cell.set(null);
        }
        open.clear();
    }

    /** All that is open. Work of threads that have ended without closing it is dropped. */
    List<Work> all() {
        List<Work> all = new ArrayList<>();
        for (Work work : open) {
            if (work.isOpen()) {
                all.add(work);
            } else {
                open.remove(work);
            }
        }
        return all;
    }

    /** A thread as a whole, which had allocated so much when the look back begins. */
    static Work ofThread(Thread thread, long allocatedBefore) {
        return new Work(0, thread, null, null, true, null, allocatedBefore);
    }

    /** A thread is about to be cancelled as a whole: checkpoints have to find it. Null for none any more. */
    void watch(Work work) {
        cancelledThread = work != null && work.isThread() ? work : null;
    }

    /** Why the current thread's work is to end now, or null. */
    String due() {
        Work whole = cancelledThread;
        String reason = whole == null || whole.thread != Thread.currentThread() ? null : whole.due();
        Work work = reason == null ? innermost() : null;
        return work == null ? reason : work.due();
    }
}
