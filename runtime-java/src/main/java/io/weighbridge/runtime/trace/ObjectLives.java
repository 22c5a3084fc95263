package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.jvm.NativeAgent;
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
 * <p>Exact are the objects made and their places. An object's age at its death is known when a collection has found it dead, and
 * somebody has looked: an hour after its last use, if no collection came before.
 */
public final class ObjectLives extends Trace {
    /** Objects that are followed at once: some 100 bytes each. */
    private static final int MOST_FOLLOWED = 500_000;
    private static final int MOST_PLACES = 10_000;
    /** What is measured: one in so many. */
    private static final int TIMED = 16;
    private static final int OLDEST = 20;
    private static final String ELSEWHERE = "(further places)";

    private final int number;
    private final int frames;
    private final Map<Integer, String> types = new HashMap<>();
    /** By their stacks, innermost frame first after the number of the class; with the lock of the map. */
    private final Map<List<Object>, Place> places = new HashMap<>();
    private final List<Place> numbered = new ArrayList<>();
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
     * @param frames so many of a stack make a place
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
            Place place = place(object, type);
            long id = ids.incrementAndGet();
            MadeObject made = null;
            if (followed.get() < MOST_FOLLOWED) {
                followed.incrementAndGet();
                made = new MadeObject(object, queue, id, start, place.number);
            }
            place.made(made);
            events.increment();
            if (id % TIMED == 0) {
                timed.increment();
                timedNs.add(System.nanoTime() - start);
            }
        } finally {
            Inside.leave(entered);
        }
    }

    private String nameOf(int type) {
        synchronized (types) {
            return types.computeIfAbsent(type, id -> String.valueOf(NativeAgent.tracedClass(number, id)));
        }
    }

    private Place place(Object object, int type) {
        List<StackWalker.StackFrame> stack = Stacks.here(frames);
        List<Object> key = new ArrayList<>(3 * frames + 1);
        key.add(type);
        for (StackWalker.StackFrame frame : stack) {
            key.add(frame.getClassName());
            key.add(frame.getMethodName());
            key.add(frame.getByteCodeIndex());
        }
        synchronized (places) {
            Place known = places.get(key);
            if (known != null) {
                return known;
            }
            List<String> texts = new ArrayList<>(frames);
            for (StackWalker.StackFrame frame : stack) {
                int line = frame.getLineNumber();
                texts.add(frame.getClassName() + "." + frame.getMethodName() + (line < 0 ? "" : ":" + line));
            }
            if (places.size() >= MOST_PLACES) {
                key = List.of(type);
                texts = List.of(ELSEWHERE);
                known = places.get(key);
            }
            if (known == null) {
                known = new Place(numbered.size(), type, texts, ObjectSizes.get().instance(object));
                places.put(key, known);
                numbered.add(known);
            }
            return known;
        }
    }

    @Override
    public void tick() {
        int entered = Inside.enterForLong();
        try {
            long now = System.nanoTime();
            for (Reference<?> dead = queue.poll(); dead != null; dead = queue.poll()) {
                MadeObject object = (MadeObject) dead;
                followed.decrementAndGet();
                Place place;
                synchronized (places) {
                    place = numbered.get(object.place);
                }
                place.died(object, now);
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
        List<Place> all;
        synchronized (places) {
            all = new ArrayList<>(numbered);
        }
        List<MadeObject> oldest = new ArrayList<>();
        json.array("places");
        for (Place place : all) {
            place.describe(json);
            place.oldest(oldest, OLDEST);
        }
        json.end().array("oldest");
        long now = System.nanoTime();
        oldest.sort(Comparator.comparingLong(object -> object.bornNs));
        for (MadeObject object : oldest.subList(0, Math.min(OLDEST, oldest.size()))) {
            json.open().field("object", object.id).field("place", object.place)
                    .field("age_ms", (now - object.bornNs) / 1_000_000).close();
        }
        json.end();
        if (isOver) {
            all.forEach(Place::forget);
        }
    }
}
