package io.weighbridge.runtime;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The instrumented classes of this JVM, by id.
 *
 * <p>Ids are given out jar by jar and never taken back. Reading is a plain array access; adding holds the lock
 * for the time it takes to read one table, and calls nothing of the program's.
 */
final class ClassTable {
    private static final Object LOCK = new Object();
    private static volatile ClassEntry[] entries = {};
    private static volatile int size;
    /** Raised by every link, so that remembered answers of {@link NearestClass} are asked again. */
    private static volatile int epoch;
    private static final Map<String, Linked> BY_TEXT = new HashMap<>();
    private static final Map<String, Binding> BY_NAME = new HashMap<>();
    private static final Set<String> COMPONENTS = new LinkedHashSet<>();

    private ClassTable() {
    }

    /** A jar that has met the runtime. */
    static final class Linked {
        final LinkTable table;
        final int base;

        Linked(LinkTable table, int base) {
            this.table = table;
            this.base = base;
        }
    }

    /** A class name as instrumented in one class loader (held weakly: instrumenting must not keep an application alive). */
    private static final class Binding {
        /** Null for a descendant that lives in a jar not linked yet, whose loader is not known. */
        final WeakReference<ClassLoader> loader;
        final boolean boot;
        final int id;
        final Binding other;

        Binding(ClassLoader loader, int id, Binding other) {
            this.loader = loader == null ? null : new WeakReference<>(loader);
            this.boot = loader == null;
            this.id = id;
            this.other = other;
        }
    }

    /** The class of an id, or null. */
    static ClassEntry entry(int id) {
        ClassEntry[] table = entries;
        return id >= 0 && id < table.length ? table[id] : null;
    }

    static int size() {
        return size;
    }

    static int epoch() {
        return epoch;
    }

    /** All entries up to the size at the call; the array may be longer. */
    static ClassEntry[] entries() {
        return Arrays.copyOf(entries, size);
    }

    /** Component names in the order of the configurations. */
    static List<String> components() {
        synchronized (LOCK) {
            return new ArrayList<>(COMPONENTS);
        }
    }

    /**
     * Takes a jar in. The same text from another class loader is the same jar: it gets the same ids.
     * Returns null if it was known.
     */
    static Linked add(LinkTable table, String text, ClassLoader loader) {
        synchronized (LOCK) {
            Linked known = BY_TEXT.get(text);
            int base = known == null ? size : known.base;
            if (known == null) {
                append(table, base);
            }
            int id = base;
            for (LinkTable.ClassLine line : table.classes) {
                bind(line.name, loader, id++);
            }
            epoch++;
            NearestClass.forget();
            if (known != null) {
                return null;
            }
            Linked linked = new Linked(table, base);
            BY_TEXT.put(text, linked);
            return linked;
        }
    }

    /** First id of a jar that {@link #add} has taken in. */
    static int base(String text) {
        synchronized (LOCK) {
            return BY_TEXT.get(text).base;
        }
    }

    /** The id of an instrumented class; {@link NearestClass#ELSEWHERE} or {@link NearestClass#NONE}. */
    static int idOf(String name, ClassLoader loader) {
        synchronized (LOCK) {
            boolean descendant = false;
            for (Binding b = BY_NAME.get(name); b != null; b = b.other) {
                if (b.id == NearestClass.ELSEWHERE) {
                    descendant = true;
                } else if (b.boot ? loader == null : b.loader.get() == loader) {
                    return b.id;
                }
            }
            return descendant ? NearestClass.ELSEWHERE : NearestClass.NONE;
        }
    }

    /** True if several jars have instrumented a class of this name. */
    static boolean isTwin(int id) {
        synchronized (LOCK) {
            for (Binding b = BY_NAME.get(entries[id].name); b != null; b = b.other) {
                if (b.id >= 0 && b.id != id) {
                    return true;
                }
            }
            return false;
        }
    }

    /** The loader that brought a class first; null is the boot loader. Throws if it is gone. */
    static ClassLoader loaderOf(ClassEntry entry) throws ClassNotFoundException {
        synchronized (LOCK) {
            for (Binding b = BY_NAME.get(entry.name); b != null; b = b.other) {
                ClassLoader loader = b.loader == null ? null : b.loader.get();
                if (b.id == entry.id && (b.boot || loader != null)) {
                    return loader;
                }
            }
            throw new ClassNotFoundException(entry.name);
        }
    }

    private static void append(LinkTable table, int base) {
        ClassEntry[] grown = entries;
        int needed = base + table.classes.size();
        if (needed > grown.length) {
            grown = Arrays.copyOf(grown, Math.max(needed, grown.length * 2));
        }
        int id = base;
        for (LinkTable.ClassLine line : table.classes) {
            grown[id] = new ClassEntry(id, base, line, table.jar);
            id++;
        }
        entries = grown;
        size = needed;
        COMPONENTS.addAll(table.components);
        for (String name : table.descendants) {
            BY_NAME.put(name, new Binding(null, NearestClass.ELSEWHERE, BY_NAME.get(name)));
        }
    }

    private static void bind(String name, ClassLoader loader, int id) {
        Binding first = BY_NAME.get(name);
        for (Binding b = first; b != null; b = b.other) {
            if (b.id == id && (b.boot ? loader == null : b.loader.get() == loader)) {
                return;
            }
        }
        BY_NAME.put(name, new Binding(loader, id, first));
    }
}
