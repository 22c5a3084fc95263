package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.probe.Tags;
import io.weighbridge.runtime.record.Json;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Opens scopes at the entries of methods and closes them at their ends, and counts the calls by their scopes.
 *
 * <p>Where a run asks for some scopes only, others are not opened: keys have few values then, however many the program has.
 */
public final class ScopeEntries extends Trace {
    /** The number of a call: the scopes before it plus one, and above them its beginning. */
    private static final int TAG_BITS = 11;
    private static final int CARRIED = 1 << 14;
    /** Objects that carry scopes at once, until a collection finds them dead: some 80 bytes each. */
    private static final int MOST_CARRIED = 200_000;
    private static final int DEEPEST = 32;

    private final List<KeyedTemplates> entries = new ArrayList<>();
    private final Map<String, String> only = new TreeMap<>();
    private final ObjectRows carried;
    private final AtomicInteger carrying = new AtomicInteger();
    private final LongAdder notCarried = new LongAdder();
    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    private final long began = System.nanoTime();
    private final LongAdder events = new LongAdder();
    /** Of each thread: how many calls are open, and what the thread had allocated at the entry of each. */
    private final ThreadLocal<long[]> open = new ThreadLocal<>();
    /** By the scopes in force; with its own lock. */
    private final Map<Integer, ScopeFigures> figures = new TreeMap<>();
    private volatile boolean isOver;

    /** Keys and the templates of their values. */
    private static final class KeyedTemplates {
        final List<String> keys = new ArrayList<>();
        final List<ScopeTemplate> values = new ArrayList<>();
    }

    /** Calls with the same scopes. */
    private static final class ScopeFigures {
        long calls;
        long thrown;
        long ns;
        long longestNs;
        long bytes;
    }

    /**
     * @param entries {@code carry}, or keys and templates with tabs between
     * @param only pairs of key and value: nobody asks for others; all if there is none
     */
    public ScopeEntries(List<String> entries, List<String[]> only) {
        this(entries, only, CARRIED);
    }

    private ScopeEntries(List<String> entries, List<String[]> only, int rows) {
        super(Filter.EVERYBODY);
        carried = new ObjectRows(rows);
        only.forEach(pair -> this.only.put(pair[0], pair[1]));
        for (String words : entries) {
            KeyedTemplates entry = new KeyedTemplates();
            String[] parts = words.split("\t");
            for (int i = 0; i + 1 < parts.length; i += 2) {
                if (only.isEmpty() || this.only.containsKey(parts[i])) {
                    entry.keys.add(parts[i]);
                    entry.values.add(new ScopeTemplate(parts[i + 1]));
                }
            }
            // One without keys carries.
            this.entries.add(parts.length == 1 ? null : entry);
        }
    }

    @Override
    void made(Object object, int entry, boolean copied) {
        int tags = Tags.current();
        if (isOver || tags == Tags.NONE || carried.find(object) != null) {
            return;
        }
        if (carrying.get() >= MOST_CARRIED) {
            notCarried.increment();
            return;
        }
        carrying.incrementAndGet();
        carried.add(new MadeObject(object, queue, tags, 0, 0), object);
    }

    @Override
    long opened(Object object, int number) {
        if (isOver || object == null || number >= entries.size()) {
            return 0;
        }
        int before = Tags.current();
        KeyedTemplates entry = entries.get(number);
        int tags = entry == null ? carriedBy(object, before) : scopes(entry, object, before);
        if (tags == before) {
            return 0;
        }
        Stripes.tag(tags);
        events.increment();
        push();
        return System.nanoTime() - began << TAG_BITS | before + 1;
    }

    private int carriedBy(Object object, int before) {
        MadeObject made = carried.find(object);
        return made == null ? before : (int) made.id;
    }

    private int scopes(KeyedTemplates entry, Object object, int before) {
        int tags = before;
        for (int i = 0; i < entry.keys.size(); i++) {
            String key = entry.keys.get(i);
            String value = entry.values.get(i).of(object);
            if (value == null || value.isEmpty()) {
                continue;
            }
            String wanted = only.get(key);
            if (wanted == null || wanted.equals(value)) {
                tags = Tags.with(tags, key, value);
            } else if (Tags.of(tags).valueOf(key) != null) {
                tags = Tags.with(tags, key, Tags.OTHER);
            }
        }
        return tags;
    }

    @Override
    boolean hearsEnds() {
        return true;
    }

    @Override
    void leave(int site, long call, boolean thrown) {
        int tags = Tags.current();
        int before = (int) (call & (1 << TAG_BITS) - 1) - 1;
        Stripes.tag(before);
        long bytes = pop();
        if (isOver) {
            return;
        }
        long ns = System.nanoTime() - began - (call >> TAG_BITS);
        synchronized (figures) {
            ScopeFigures own = figures.computeIfAbsent(tags, any -> new ScopeFigures());
            own.calls++;
            own.thrown += thrown ? 1 : 0;
            own.ns += ns;
            own.longestNs = Math.max(own.longestNs, ns);
            own.bytes += bytes;
        }
    }

    private void push() {
        long[] own = open.get();
        if (own == null) {
            own = new long[DEEPEST + 1];
            open.set(own);
        }
        int depth = (int) ++own[0];
        if (depth <= DEEPEST) {
            own[depth] = Management.allocatedBy(Thread.currentThread());
        }
    }

    /** What this thread has allocated since the entry; 0 if that is not known. */
    private long pop() {
        long[] own = open.get();
        if (own == null || own[0] == 0) {
            return 0;
        }
        int depth = (int) own[0]--;
        long before = depth <= DEEPEST ? own[depth] : -1;
        long now = before < 0 ? -1 : Management.allocatedBy(Thread.currentThread());
        return now < 0 ? 0 : Math.max(0, now - before);
    }

    @Override
    public void tick() {
        for (Reference<?> dead = queue.poll(); dead != null; dead = queue.poll()) {
            carried.remove((MadeObject) dead);
            carrying.decrementAndGet();
        }
    }

    @Override
    public void end() {
        isOver = true;
    }

    @Override
    public String what() {
        return "scopes";
    }

    @Override
    public long events() {
        return events.sum();
    }

    @Override
    public long nanosPerEvent() {
        ScopeEntries own = new ScopeEntries(List.of("request\t{getName}"), List.<String[]>of(new String[] {"request", ""}), 1);
        Thread told = Thread.currentThread();
        return fastest(() -> own.opened(told, 0)) + fastest(this::measureAllocated);
    }

    private void measureAllocated() {
        Management.allocatedBy(Thread.currentThread());
    }

    @Override
    public void describe(Json json) {
        json.field("not_carried", notCarried.sum() > 0, notCarried.sum()).array("scopes");
        synchronized (figures) {
            figures.forEach((tags, own) -> {
                List<String> pairs = new ArrayList<>();
                Tags all = Tags.of(tags);
                for (String key : all.keys()) {
                    pairs.add(key + "=" + all.valueOf(key));
                }
                pairs.sort(null);
                json.open().field("scopes", pairs).field("calls", own.calls).field("thrown", own.thrown)
                        .field("total_ns", own.ns).field("longest_ns", own.longestNs).field("allocated_bytes", own.bytes).close();
            });
        }
        json.end();
    }
}
