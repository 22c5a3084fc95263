package io.weighbridge.runtime.probe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the program says that it works on: pairs of key and value, in force on one thread for some time.
 *
 * <p>Scopes nest; of one key the innermost value counts. Each combination in force has a small id, which goes into the
 * references of the objects registered meanwhile. A thread inherits the combination of the thread that made it; a task
 * for a thread that exists already carries it only if it was wrapped.
 *
 * <p>A key has at most {@link #MOST_VALUES} values, and there are at most {@link #MOST} combinations. Beyond them the value
 * becomes {@link #OTHER}, and if there is no room for that either, the combination stays the outer one's.
 */
public final class Tags {
    /** The value that stands for those of which there are too many. */
    public static final String OTHER = "other";
    /** No scope is open. */
    public static final int NONE = 0;
    private static final int MOST = 1000;
    /** Leaves room for a combination with {@link #OTHER} for some keys. */
    private static final int MOST_WITH_OTHER = 1100;
    private static final int MOST_VALUES = 200;
    private static final int LONGEST = 200;
    private static final Map<String, Set<String>> VALUES = new HashMap<>();
    private static final Map<String, Tags> KNOWN = new HashMap<>();
    private static volatile Tags[] all = {new Tags(NONE, null, null, null)};
    /** Until a scope is opened, threads have no thread-local. */
    private static volatile boolean used;
    private static final InheritableThreadLocal<Integer> CURRENT = new InheritableThreadLocal<>();

    final int id;
    final Tags outer;
    final String key;
    final String value;
    /** Objects constructed, estimated: the weights of the registered ones. */
    public final AtomicLong allocated = new AtomicLong();
    /** Of {@link #allocated}. */
    public final AtomicLong variance = new AtomicLong();

    private Tags(int id, Tags outer, String key, String value) {
        this.id = id;
        this.outer = outer;
        this.key = key;
        this.value = value;
    }

    /** The combination in force on this thread. */
    public static int current() {
        if (!used) {
            return NONE;
        }
        Integer id = CURRENT.get();
        return id == null ? NONE : id;
    }

    /** Puts a combination in force on this thread; gives the one that is now. Its stripe has to be told: {@link Stripes}' part. */
    static int set(int id) {
        Tags[] known = all;
        int valid = id >= 0 && id < known.length ? id : NONE;
        used |= valid != NONE;
        if (used) {
            if (valid == NONE) {
                CURRENT.remove();
            } else {
                CURRENT.set(valid);
            }
        }
        return valid;
    }

    /** Some scope was opened in this JVM. */
    static boolean areUsed() {
        return used;
    }

    /** The combination of an id. */
    public static Tags of(int id) {
        return all[id];
    }

    /** How many combinations there are. */
    public static int size() {
        return all.length;
    }

    /** The value of a key in this combination, or null. */
    public String valueOf(String wanted) {
        for (Tags t = this; t.key != null; t = t.outer) {
            if (t.key.equals(wanted)) {
                return t.value;
            }
        }
        return null;
    }

    /** The keys of this combination. */
    public List<String> keys() {
        List<String> keys = new ArrayList<>();
        for (Tags t = this; t.key != null; t = t.outer) {
            if (!keys.contains(t.key)) {
                keys.add(t.key);
            }
        }
        return keys;
    }

    /** An object that stands for {@code weight} of its class was registered under this combination. */
    static void registered(int id, long weight) {
        if (id != NONE) {
            Tags tags = all[id];
            tags.allocated.addAndGet(weight);
            if (weight > 1) {
                tags.variance.addAndGet(weight * (weight - 1));
            }
        }
    }

    /** The combination of one and a pair; as it was if there is no room for another. */
    public static int with(int outer, String key, String value) {
        String k = cut(String.valueOf(key));
        String v = cut(String.valueOf(value));
        if (v.equals(all[outer].valueOf(k))) {
            return outer;
        }
        synchronized (KNOWN) {
            if (VALUES.size() == MOST && !VALUES.containsKey(k)) {
                return outer;
            }
            Set<String> values = VALUES.computeIfAbsent(k, any -> new HashSet<>());
            boolean known = values.contains(v) || values.size() < MOST_VALUES;
            int id = known ? intern(outer, k, v, MOST) : -1;
            if (id >= 0) {
                values.add(v);
            }
            if (id < 0) {
                id = intern(outer, k, OTHER, MOST_WITH_OTHER);
            }
            return id < 0 ? outer : id;
        }
    }

    private static int intern(int outer, String key, String value, int most) {
        String name = outer + "\t" + key.length() + "\t" + key + value;
        Tags known = KNOWN.get(name);
        if (known != null) {
            return known.id;
        }
        Tags[] before = all;
        if (before.length > most) {
            return -1;
        }
        Tags tags = new Tags(before.length, before[outer], key, value);
        Tags[] after = Arrays.copyOf(before, before.length + 1);
        after[tags.id] = tags;
        all = after;
        KNOWN.put(name, tags);
        return tags.id;
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST);
    }
}
