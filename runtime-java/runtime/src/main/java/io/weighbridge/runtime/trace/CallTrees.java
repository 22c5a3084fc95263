package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.record.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Calls with all traced calls that they make, nested: the slowest of those that took long enough. */
public final class CallTrees extends Trace {
    private final long slowerNs;
    private final int most;
    private final LongAdder events = new LongAdder();
    private final LongAdder outermost = new LongAdder();
    /** The fastest one first; with the lock of this. */
    private final PriorityQueue<CallTree> slowest = new PriorityQueue<>(Comparator.comparingLong((CallTree tree) -> tree.nanos));
    private long slow;
    /** Calls must be slower than that to be among them. */
    private volatile long bar;
    /**
     * {@code {OpenCalls}}. The array is the JDK's and is emptied at the end, so that no thread keeps the runtime.
     */
    private final ThreadLocal<Object[]> ofThread = new ThreadLocal<>();
    /** Of the threads that live. */
    private final Set<Object[]> all = Collections.newSetFromMap(new WeakHashMap<>());
    private volatile boolean isOver;

    /**
     * @param slowerNs outermost calls must take as long
     * @param most so many of them are kept
     */
    public CallTrees(Filter filter, long slowerNs, int most) {
        super(filter);
        this.slowerNs = slowerNs;
        this.most = most;
        bar = slowerNs;
    }

    @Override
    long enter(int site) {
        OpenCalls open = open();
        if (open == null) {
            return 0;
        }
        long now = MethodCounts.now();
        events.increment();
        return open.begin(site, now) ? now : 0;
    }

    @Override
    void argument(Object object) {
        OpenCalls open = open();
        if (open != null) {
            open.argument(object == null ? null : object.getClass());
        }
    }

    @Override
    void leave(int site, long call, boolean thrown) {
        Object[] own = ofThread.get();
        OpenCalls open = own == null ? null : (OpenCalls) own[0];
        if (open != null && open.end(site, call, System.nanoTime(), thrown)) {
            outermost.increment();
            if (open.lengths[0] >= bar) {
                keep(open);
            }
            open.clear();
        }
    }

    /** Of the current thread; null if it is of no interest. */
    private OpenCalls open() {
        if (isOver || !filter.passes()) {
            return null;
        }
        Object[] own = ofThread.get();
        return own != null ? (OpenCalls) own[0] : begin();
    }

    private OpenCalls begin() {
        int entered = Inside.enterForLong();
        try {
            OpenCalls open = new OpenCalls();
            Object[] own = {open};
            synchronized (all) {
                if (isOver) {
                    return null;
                }
                all.add(own);
            }
            ofThread.set(own);
            return open;
        } finally {
            Inside.leave(entered);
        }
    }

    private void keep(OpenCalls open) {
        int entered = Inside.enterForLong();
        try {
            long atMs = System.currentTimeMillis() - open.lengths[0] / 1_000_000;
            CallTree tree = new CallTree(open, Thread.currentThread().getName(), atMs);
            synchronized (this) {
                slow++;
                slowest.add(tree);
                if (slowest.size() > most) {
                    slowest.poll();
                }
                // One more than there is room for is enough to know the bar.
                if (slowest.size() == most && slowerNs == 0) {
                    bar = slowest.peek().nanos;
                }
            }
        } finally {
            Inside.leave(entered);
        }
    }

    @Override
    public String what() {
        return "calls";
    }

    @Override
    public long events() {
        return events.sum();
    }

    @Override
    public long nanosPerEvent() {
        CallTrees own = new CallTrees(Filter.EVERYBODY, Long.MAX_VALUE, 1);
        long nanos = fastest(() -> own.leave(0, own.enter(0), false));
        own.end();
        own.ofThread.remove();
        return nanos;
    }

    @Override
    public void end() {
        synchronized (all) {
            isOver = true;
            for (Object[] own : all) {
                own[0] = null;
            }
            all.clear();
        }
        ofThread.remove();
    }

    @Override
    public synchronized void describe(Json json) {
        List<CallTree> sorted = new ArrayList<>(slowest);
        sorted.sort(Comparator.comparingLong((CallTree tree) -> tree.nanos).reversed());
        json.field("outermost", outermost.sum()).field("slower_ns", slowerNs);
        if (slowerNs > 0) {
            json.field("slow", slow);
        }
        json.array("trees");
        for (CallTree tree : sorted) {
            tree.describe(json);
        }
        json.end();
    }
}
