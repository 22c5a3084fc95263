package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.record.Json;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Each object of the traced classes: where it was made, by its stack, and when it was collected.
 *
 * <p>Exact are the objects made and their allocation sites. An object's age at its death is known when a collection has found it
 * dead, and somebody has looked: an hour after its last use, if no collection came before.
 */
public class ObjectLives extends Trace {
    /** Objects that are followed at once: some 100 bytes each. */
    private static final int MOST_FOLLOWED = 500_000;
    private static final int MOST_SITES = 10_000;
    /** What is measured: one in so many. */
    private static final int TIMED = 16;
    static final int MOST_LISTED = 20;
    private static final String ELSEWHERE = "(further allocation sites)";

    final int number;
    private final int frames;
    private final Map<Integer, String> types = new HashMap<>();
    /** By their stacks, innermost frame first after the number of the class; with the lock of the map. */
    private final Map<List<Object>, AllocationSite> sites = new HashMap<>();
    private final List<AllocationSite> numbered = new ArrayList<>();
    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    private final AtomicLong ids = new AtomicLong();
    private final AtomicLong followed = new AtomicLong();
    private final LongAdder events = new LongAdder();
    private final LongAdder timed = new LongAdder();
    private final LongAdder timedNs = new LongAdder();
    private long timedBefore;
    private long timedNsBefore;
    private long nanosPerEvent = -1;
    private volatile boolean isOver;

    /**
     * @param number that of the trace
     * @param frames so many of each stack are kept; stacks that agree in them are one allocation site
     */
    public ObjectLives(Filter filter, int number, int frames) {
        super(filter);
        this.number = number;
        this.frames = frames;
    }

    @Override
    void made(Object object, int type, boolean copied) {
        if (isOver || !filter.passes()) {
            return;
        }
        int entered = Inside.enterForLong();
        try {
            long start = System.nanoTime();
            if (copied && !object.getClass().getName().equals(nameOf(type))) {
                return;
            }
            long id = add(object, site(object, type), start);
            events.increment();
            if (id % TIMED == 0) {
                timed.increment();
                timedNs.add(System.nanoTime() - start);
            }
        } finally {
            Inside.leave(entered);
        }
    }

    /** Follows an object, if there is room; gives its number. */
    final long add(Object object, AllocationSite site, long now) {
        long id = ids.incrementAndGet();
        MadeObject made = null;
        if (followed.get() < MOST_FOLLOWED) {
            followed.incrementAndGet();
            made = new MadeObject(object, queue, id, now, site.number);
            follows(made, object);
        }
        site.made(made);
        return id;
    }

    /** An object is followed from now on. */
    void follows(MadeObject made, Object object) {
    }

    /** An object was found dead. */
    void died(MadeObject made) {
    }

    private String nameOf(int type) {
        synchronized (types) {
            return types.computeIfAbsent(type, id -> String.valueOf(NativeMethods.tracedClass(number, id)));
        }
    }

    private AllocationSite site(Object object, int type) {
        List<StackWalker.StackFrame> stack = Stacks.here(frames);
        List<Object> key = new ArrayList<>(3 * frames + 1);
        key.add(type);
        for (StackWalker.StackFrame frame : stack) {
            key.add(frame.getClassName());
            key.add(frame.getMethodName());
            key.add(frame.getByteCodeIndex());
        }
        synchronized (sites) {
            AllocationSite known = sites.get(key);
            if (known != null) {
                return known;
            }
            List<String> texts = new ArrayList<>(frames);
            for (StackWalker.StackFrame frame : stack) {
                int line = frame.getLineNumber();
                texts.add(frame.getClassName() + "." + frame.getMethodName() + (line < 0 ? "" : ":" + line));
            }
            return sites.size() < MOST_SITES ? known(key, type, texts, object) : known(List.of(type), type, List.of(ELSEWHERE), object);
        }
    }

    /** The site of objects of this class that were there before the trace. */
    final AllocationSite before(Object object, int type) {
        synchronized (sites) {
            return known(List.of(type, "before"), type, null, object);
        }
    }

    private AllocationSite known(List<Object> key, int type, List<String> texts, Object object) {
        return sites.computeIfAbsent(key, any -> {
            AllocationSite made = new AllocationSite(numbered.size(), type, texts, ObjectSizes.get().instance(object));
            numbered.add(made);
            return made;
        });
    }

    final List<AllocationSite> sites() {
        synchronized (sites) {
            return new ArrayList<>(numbered);
        }
    }

    final boolean isOver() {
        return isOver;
    }

    @Override
    public void tick() {
        int entered = Inside.enterForLong();
        try {
            long now = System.nanoTime();
            for (Reference<?> dead = queue.poll(); dead != null; dead = queue.poll()) {
                MadeObject object = (MadeObject) dead;
                followed.decrementAndGet();
                died(object);
                AllocationSite site;
                synchronized (sites) {
                    site = numbered.get(object.site);
                }
                site.died(object, now);
            }
        } finally {
            Inside.leave(entered);
        }
    }

    @Override
    public String what() {
        return "objects";
    }

    @Override
    public long events() {
        return events.sum();
    }

    @Override
    public long nanosPerEvent() {
        long objects = timed.sum();
        long nanos = timedNs.sum();
        if (objects > timedBefore) {
            nanosPerEvent = (nanos - timedNsBefore) / (objects - timedBefore);
            timedBefore = objects;
            timedNsBefore = nanos;
        }
        return nanosPerEvent;
    }

    @Override
    public void end() {
        isOver = true;
    }

    @Override
    public void describe(Json json) {
        tick();
        List<AllocationSite> all = sites();
        json.array("places");
        for (AllocationSite site : all) {
            site.describe(json);
            describe(site, json);
            json.close();
        }
        json.end();
        describe(all, json);
    }

    @Override
    public void forget() {
        sites().forEach(AllocationSite::forget);
    }

    /** Adds fields to an allocation site. */
    void describe(AllocationSite site, Json json) {
    }

    /** Adds fields to the trace. */
    void describe(List<AllocationSite> all, Json json) {
        List<MadeObject> oldest = new ArrayList<>();
        all.forEach(site -> site.oldest(oldest, MOST_LISTED));
        oldest.sort(Comparator.comparingLong(object -> object.bornNs));
        long now = System.nanoTime();
        json.array("oldest");
        for (MadeObject object : oldest.subList(0, Math.min(MOST_LISTED, oldest.size()))) {
            json.open().field("object", object.id).field("place", object.site)
                    .field("age_ms", (now - object.bornNs) / 1_000_000).close();
        }
        json.end();
    }
}
