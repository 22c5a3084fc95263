package io.weighbridge.runtime.probe;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.NativeAgent;
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
import java.util.function.Consumer;

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
    /** Ids given to the native agent at a time. */
    private static final int RESERVED = 8192;
    /** By id; null where no entry was needed. Written with the lock held, and replaced when a jar needs more room. */
    private static volatile ClassEntry[] entries = {};
    private static volatile int size;
    /** Raised by every link, so that remembered answers of {@link NearestClass} are asked again. */
    private static volatile int epoch;
    private static volatile Consumer<LinkTable> told;
    /** What the native agent gave last, until it is entered: a probe that does it may meet the end of the stack or of the heap. */
    private static Object[] taken;
    /** Asked once: a security manager may let the program's threads not ask for it. */
    private static final ClassLoader APP = systemLoader();
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
        if (known == null && isId(id)) {
            known = make(id);
            if (known == null) {
                takeLoaded();
                known = make(id);
            }
        }
        return known;
    }

    static boolean isId(int id) {
        return id >= 0 && id < size;
    }

    private static ClassEntry make(int id) {
        synchronized (LOCK) {
            ClassEntry entry = entries[id];
            if (entry == null) {
                LinkedJar jar = jarOf(id);
                if (jar == null) {
                    return null;
                }
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

    /** The same as texts: a component and its pattern. */
    public static List<List<String>> componentPatternTexts() {
        synchronized (LOCK) {
            return new ArrayList<>(COMPONENT_PATTERNS);
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

    /** Copies that classes make are seen from now on: what was found out about that before does not hold any more. */
    public static void judgeCopiesAnew() {
        synchronized (LOCK) {
            epoch++;
            for (ClassEntry entry : entries) {
                if (entry != null) {
                    entry.judgeCopiesAnew();
                }
            }
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

    /** Who is told of classes that were loaded. */
    public static void tell(Consumer<LinkTable> recording) {
        told = recording;
    }

    /**
     * Asks the native agent for the classes that were loaded since the last time, and gives it ids for more. While a class is
     * loaded no Java code may run, so the agent cannot tell by itself. For any thread.
     */
    public static void takeLoaded() {
        if (!NativeAgent.isPresent()) {
            return;
        }
        synchronized (LOCK) {
            if (NativeMethods.wantsIds()) {
                int first = size;
                grow(size + RESERVED);
                NativeMethods.giveIds(first, RESERVED);
            }
            for (; taken != null || (taken = NativeMethods.takeClasses()) != null; taken = null) {
                LinkTable table = LinkTable.parse((String) taken[0]);
                if (table.classes.size() > 0) {
                    enter(table, taken);
                }
                Consumer<LinkTable> recording = told;
                if (recording != null) {
                    recording.accept(table);
                }
            }
        }
    }

    private static void enter(LinkTable table, Object[] taken) {
        LinkedJar jar = new LinkedJar(table, table.base);
        table.loader = "collected";
        if (taken.length == 2) {
            ClassLoader loader = (ClassLoader) taken[1];
            jar.add(loader);
            table.loader = nameOf(loader);
        }
        enter(jar, table);
        epoch++;
    }

    /** Calls nothing of the program's: a loader may have any {@code toString}. */
    private static String nameOf(ClassLoader loader) {
        if (loader == null) {
            return "boot";
        }
        if (loader == APP) {
            return "app";
        }
        return loader.getClass().getName() + '@' + Integer.toHexString(System.identityHashCode(loader));
    }

    private static ClassLoader systemLoader() {
        try {
            return ClassLoader.getSystemClassLoader();
        } catch (SecurityException hidden) {
            return null;
        }
    }

    private static LinkedJar append(LinkTable table) {
        LinkedJar jar = new LinkedJar(table, size);
        grow(size + table.classes.size());
        enter(jar, table);
        BY_TEXT.put(table.text, jar);
        return jar;
    }

    private static void grow(int needed) {
        if (needed > entries.length) {
            entries = Arrays.copyOf(entries, Math.max(needed, entries.length * 2));
        }
        if (slots.length < 2 * needed) {
            slots = new int[Integer.highestOneBit(needed) * 4];
            for (LinkedJar jar : JARS.values()) {
                insert(jar);
            }
        }
        size = needed;
    }

    private static void enter(LinkedJar jar, LinkTable table) {
        JARS.put(jar.base, jar);
        insert(jar);
        COMPONENTS.addAll(table.components);
        COMPONENT_PATTERNS.addAll(table.componentPatterns);
        DESCENDANTS.addAll(table.descendants);
    }

    private static void insert(LinkedJar jar) {
        for (int ordinal = 0; ordinal < jar.classes.size(); ordinal++) {
            int slot = first(jar.classes.hash(ordinal));
            while (slots[slot] != 0) {
                slot = next(slot);
            }
            slots[slot] = jar.base + ordinal + 1;
        }
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

    /** Null for a reserved id whose class is not known yet. */
    private static LinkedJar jarOf(int id) {
        Map.Entry<Integer, LinkedJar> entry = JARS.floorEntry(id);
        LinkedJar jar = entry == null ? null : entry.getValue();
        return jar != null && id < jar.base + jar.classes.size() ? jar : null;
    }
}
