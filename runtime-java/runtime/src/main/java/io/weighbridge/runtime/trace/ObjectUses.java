package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.record.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * As {@link ObjectLives}, and when each object was last used; also of the objects that were there before.
 *
 * <p>Times of use are known to the second. A class that is used too often for what the trace may cost is not judged any more.
 */
public final class ObjectUses extends ObjectLives {
    private static final int ROWS = 1 << 17;
    private static final int BUCKETS = Integer.SIZE;

    private final long pauseNs;
    /** Of followed objects. */
    private final ObjectRows rows;
    private final long began = System.nanoTime();
    private volatile int seconds;
    private final LongAdder uses = new LongAdder();
    /** Of each class since the last look, about: threads may overwrite one another's counts. */
    private int[] lately = new int[64];
    /** Why objects that existed before are not followed, or null. */
    private volatile String leftOut;
    /** Classes that are not judged any more. */
    private volatile boolean[] off = new boolean[0];

    /** As {@link ObjectLives#ObjectLives}. {@code pauseNs}: how long the search for existing objects may stop the program. */
    public ObjectUses(Filter filter, int number, int frames, long pauseNs) {
        this(filter, number, frames, pauseNs, ROWS);
    }

    private ObjectUses(Filter filter, int number, int frames, long pauseNs, int rows) {
        super(filter, number, frames);
        this.pauseNs = pauseNs;
        this.rows = new ObjectRows(rows);
    }

    @Override
    public void probed() {
        // Nobody knows who made them.
        Object[] found = filter.isOpen() ? existing() : null;
        if (found == null) {
            return;
        }
        int entered = Inside.enterForLong();
        try {
            Object[] objects = (Object[]) found[0];
            int[] types = (int[]) found[1];
            long now = System.nanoTime();
            for (int i = 0; i < objects.length; i++) {
                if (rows.find(objects[i]) == null) {
                    add(objects[i], before(objects[i], types[i]), now);
                }
            }
        } finally {
            Inside.leave(entered);
        }
    }

    /** What exists already, as {@link NativeMethods#tracedObjects}; null if that stops the program for too long. */
    private Object[] existing() {
        long predicted = PauseBudget.predict(PauseBudget.Stop.SURVEY);
        Object[] found = predicted > pauseNs ? null : NativeMethods.tracedObjects(number, pauseNs);
        if (found == null) {
            leftOut = PauseBudget.leftOut("objects that existed before are not followed", "find them", Math.max(predicted, pauseNs));
        }
        return found;
    }

    @Override
    void used(Object object, int type) {
        boolean[] unjudged = off;
        if (isOver() || type < unjudged.length && unjudged[type]) {
            return;
        }
        uses.increment();
        int[] counts = lately;
        if (type < counts.length) {
            counts[type]++;
        } else {
            grow(type);
        }
        MadeObject found = rows.find(object);
        if (found != null) {
            found.usedAt = seconds;
        }
    }

    private synchronized void grow(int type) {
        lately = Arrays.copyOf(lately, Math.max(lately.length, 2 * type));
    }

    @Override
    void follows(MadeObject made, Object object) {
        made.usedAt = seconds;
        rows.add(made, object);
    }

    @Override
    void died(MadeObject made) {
        rows.remove(made);
    }

    @Override
    public void tick() {
        seconds = (int) ((System.nanoTime() - began) / 1_000_000_000);
        super.tick();
    }

    @Override
    public String what() {
        return "uses";
    }

    /** Objects made and uses. */
    @Override
    public long events() {
        return super.events() + uses.sum();
    }

    @Override
    public long nanosPerEvent() {
        ObjectUses own = new ObjectUses(Filter.EVERYBODY, number, 1, 0, 1);
        MadeObject used = new MadeObject(own, null, 0, began, 0);
        own.follows(used, own);
        long ofUse = fastest(() -> own.used(own, 0));
        long made = super.events();
        long all = made + uses.sum();
        return all == 0 ? ofUse : (made * Math.max(0, super.nanosPerEvent()) + (all - made) * ofUse) / all;
    }

    /** The classes that are used most are not judged any more. */
    @Override
    public synchronized boolean thin(double part) {
        int[] counts = lately;
        lately = new int[counts.length];
        long all = 0;
        Integer[] types = new Integer[counts.length];
        for (int type = 0; type < counts.length; type++) {
            all += counts[type];
            types[type] = type;
        }
        Arrays.sort(types, Comparator.comparingInt(type -> -counts[type]));
        boolean[] unjudged = Arrays.copyOf(off, counts.length);
        long left = all;
        for (int i = 0; i < types.length && left > part * all; i++) {
            left -= counts[types[i]];
            unjudged[types[i]] = true;
        }
        off = unjudged;
        return left < all;
    }

    private boolean isJudged(int type) {
        boolean[] unjudged = off;
        return type >= unjudged.length || !unjudged[type];
    }

    @Override
    void describe(AllocationSite site, Json json) {
        if (!isJudged(site.type)) {
            json.field("not_judged", true);
            return;
        }
        long[] idle = new long[BUCKETS];
        long[] half = new long[1];
        int now = seconds;
        site.each(object -> {
            int unused = Math.max(0, now - object.usedAt);
            idle[Integer.SIZE - Integer.numberOfLeadingZeros(unused)]++;
            half[0] += 2 * unused >= now ? 1 : 0;
        });
        json.field("unused_half", half[0]).array("unused");
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            if (idle[bucket] > 0) {
                json.open().field("below_s", 1L << bucket).field("objects", idle[bucket]).close();
            }
        }
        json.end();
    }

    @Override
    void describe(List<AllocationSite> all, Json json) {
        List<MadeObject> unused = new ArrayList<>();
        for (AllocationSite site : all) {
            if (isJudged(site.type)) {
                List<MadeObject> own = new ArrayList<>();
                site.each(own::add);
                own.sort(Comparator.comparingInt(object -> object.usedAt));
                unused.addAll(own.subList(0, Math.min(MOST_LISTED, own.size())));
            }
        }
        unused.sort(Comparator.comparingInt((MadeObject object) -> object.usedAt).thenComparingLong(object -> object.id));
        int now = seconds;
        json.field("left_out", leftOut).array("unused");
        for (MadeObject object : unused.subList(0, Math.min(MOST_LISTED, unused.size()))) {
            json.open().field("object", object.id).field("place", object.site)
                    .field("age_ms", all.get(object.site).frames != null, (System.nanoTime() - object.bornNs) / 1_000_000)
                    .field("unused_s", Math.max(0, now - object.usedAt)).close();
        }
        json.end();
    }
}
