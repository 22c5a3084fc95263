package io.weighbridge.runtime.probe;

import io.weighbridge.runtime.link.LinkTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The instrumented classes of this JVM, by id.
 *
 * <p>Ids are given out jar by jar and never taken back. A class costs a few bytes until its entry is needed: at its first
 * construction, at the first of a subclass, or when a walk meets it. Reading is a plain array access. Adding a jar or an
 * entry holds the lock for the time it takes to read one table, and calls nothing of the program's.
 */
public final class ClassTable {
    /** No class up to Object is instrumented: no id. */
    public static final int NONE = -1;
    /** The nearest one is in a jar that has not met the runtime yet: its own constructor will register the object. */
    static final int ELSEWHERE = -2;
    private static final Object LOCK = new Object();
    /** By id; null where no entry was needed. Written with the lock held, and replaced when a jar needs more room. */
    private static volatile ClassEntry[] entries = {};
    private static volatile int size;
    /** Raised by every link, so that remembered answers of {@link NearestClass} are asked again. */
    private static volatile int epoch;
    private static final Map<String, LinkedJar> BY_TEXT = new HashMap<>();
    /** By their first ids. */
    private static final TreeMap<Integer, LinkedJar> JARS = new TreeMap<>();
    /** Ids plus one by the hashes of their names: open addressing, 0 for a free slot, at most half are taken. */
    private static int[] slots = new int[64];
    /** Names of matched classes in jars that are not linked yet, whose loaders are not known. */
    private static final Set<String> DESCENDANTS = new HashSet<>();
    private static final Set<String> COMPONENTS = new LinkedHashSet<>();
    /** Texts of the patterns of components, each with its component before it. */
    private static final Set<List<String>> COMPONENT_PATTERNS = new LinkedHashSet<>();

    private ClassTable() {
    }

    /** The class of an id, or null. Takes the lock for the first use of an id. */
    public static ClassEntry entry(int id) {
        ClassEntry[] table = entries;
        ClassEntry known = id >= 0 && id < table.length ? table[id] : null;
        return known == null && isId(id) ? make(id) : known;
    }

    static boolean isId(int id) {
        return id >= 0 && id < size;
    }

    private static ClassEntry make(int id) {
        synchronized (LOCK) {
            ClassEntry entry = entries[id];
            if (entry == null) {
                LinkedJar jar = jarOf(id);
                entry = new ClassEntry(id, jar.base, jar.classes.get(id - jar.base), jar.name);
                entries[id] = entry;
            }
            return entry;
        }
    }

    /** Ids given out: they are less than this. */
    public static int size() {
        return size;
    }

    /** A number that each link makes larger. */
    public static int epoch() {
        return epoch;
    }

    /** The entries that were needed so far, by ascending ids: every class with registered or shared objects has one. */
    public static ClassEntry[] entries() {
        synchronized (LOCK) {
            ClassEntry[] known = new ClassEntry[size];
            int n = 0;
            for (ClassEntry entry : entries) {
                if (entry != null) {
                    known[n++] = entry;
                }
            }
            return Arrays.copyOf(known, n);
        }
    }

    /** Component names in the order of the configurations. */
    public static List<String> components() {
        synchronized (LOCK) {
            return new ArrayList<>(COMPONENTS);
        }
    }

    /** The patterns of classes' names with their components, in the order of the configurations: the first that matches decides. */
    public static Map<NamePattern, String> componentPatterns() {
        synchronized (LOCK) {
            Map<NamePattern, String> all = new LinkedHashMap<>();
            for (List<String> owns : COMPONENT_PATTERNS) {
                all.put(new NamePattern(owns.get(1)), owns.get(0));
            }
            return all;
        }
    }

    /**
     * Takes a jar in, and tells its table the first id. The same text from another class loader is the same jar: it gets
     * the same ids. False if it was known. The caller then empties what was remembered ({@link NearestClass#forget}).
     */
    public static boolean add(LinkTable table, ClassLoader loader) {
        synchronized (LOCK) {
            LinkedJar known = BY_TEXT.get(table.text);
            LinkedJar jar = known == null ? append(table) : known;
            table.base = jar.base;
            jar.add(loader);
            epoch++;
            return known == null;
        }
    }

    /**
     * The id of an instrumented class, of the jar linked last if several have brought it; {@link #ELSEWHERE} or
     * {@link #NONE}.
     */
    static int idOf(String name, ClassLoader loader) {
        synchronized (LOCK) {
            int hash = name.hashCode();
            int newest = NONE;
            for (int slot = first(hash); slots[slot] != 0; slot = next(slot)) {
                int id = slots[slot] - 1;
                if (id > newest && isNamed(id, name, hash) && jarOf(id).isOf(loader)) {
                    newest = id;
                }
            }
            if (newest != NONE) {
                return newest;
            }
            return DESCENDANTS.contains(name) ? ELSEWHERE : NONE;
        }
    }

    /** True if several jars have instrumented a class of this name. */
    static boolean isTwin(int id) {
        synchronized (LOCK) {
            String name = make(id).name;
            int hash = name.hashCode();
            for (int slot = first(hash); slots[slot] != 0; slot = next(slot)) {
                int other = slots[slot] - 1;
                if (other != id && isNamed(other, name, hash)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** The loader that brought a class first; null is the boot loader. Throws if it is gone. */
    public static ClassLoader loaderOf(ClassEntry entry) throws ClassNotFoundException {
        synchronized (LOCK) {
            return jarOf(entry.id).loader();
        }
    }

    private static LinkedJar append(LinkTable table) {
        LinkedJar jar = new LinkedJar(table, size);
        int needed = size + table.classes.size();
        if (needed > entries.length) {
            entries = Arrays.copyOf(entries, Math.max(needed, entries.length * 2));
        }
        JARS.put(jar.base, jar);
        int from = size;
        if (slots.length < 2 * needed) {
            slots = new int[Integer.highestOneBit(needed) * 4];
            from = 0;
        }
        for (int id = from; id < needed; id++) {
            insert(id);
        }
        size = needed;
        COMPONENTS.addAll(table.components);
        COMPONENT_PATTERNS.addAll(table.componentPatterns);
        DESCENDANTS.addAll(table.descendants);
        BY_TEXT.put(table.text, jar);
        return jar;
    }

    private static void insert(int id) {
        LinkedJar jar = jarOf(id);
        int slot = first(jar.classes.hash(id - jar.base));
        while (slots[slot] != 0) {
            slot = next(slot);
        }
        slots[slot] = id + 1;
    }

    private static int first(int hash) {
        return (hash ^ hash >>> 16) & slots.length - 1;
    }

    private static int next(int slot) {
        return slot + 1 & slots.length - 1;
    }

    private static boolean isNamed(int id, String name, int hash) {
        LinkedJar jar = jarOf(id);
        return jar.classes.hash(id - jar.base) == hash && jar.classes.name(id - jar.base).equals(name);
    }

    private static LinkedJar jarOf(int id) {
        return JARS.floorEntry(id).getValue();
    }
}
