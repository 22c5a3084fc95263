package io.weighbridge.runtime.record;

import io.weighbridge.runtime.jvm.Notices;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * What the program says of its own structure, for heap dumps: which object belongs to which component.
 *
 * <p>A program names objects one by one, at any time ({@link #name}), or describes itself when a dump is about to be
 * written ({@link #source}). Named objects are in every dump of the JVM, whoever writes it. Described ones are only in the
 * dump that the runtime writes then. An object has one node: the last name counts, and a name wins over a description.
 *
 * <p>Sources are the program's code. They run on a thread of their own, because they may block, throw, or want a lock whose
 * thread waits for the dump. A source that has not returned after {@link #PATIENCE_MS} is not asked again, and what it says
 * after that is ignored.
 *
 * <p>About 120 bytes a node.
 */
public final class ComponentNodes {
    static final int MOST = 100_000;
    static final long PATIENCE_MS = 2_000;
    private static final int LONGEST = 200;
    private static final int MOST_SOURCES = 100;
    private static final ConcurrentMap<ComponentNode, ComponentNode> NAMED = new ConcurrentHashMap<>();
    private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();
    private static final Queue<Consumer<BiConsumer<String, Object>>> SOURCES = new ConcurrentLinkedQueue<>();
    /** Null unless a dump is being written. */
    private static volatile ConcurrentMap<ComponentNode, ComponentNode> described;

    private ComponentNodes() {
    }

    /** See {@code Weighbridge.node}. */
    public static void name(String name, Object held) {
        removeGone();
        if (name != null && held != null) {
            put(NAMED, name, held, true);
        }
    }

    /** See {@code Weighbridge.nodes}. */
    public static void source(Consumer<BiConsumer<String, Object>> source) {
        if (source == null) {
            return;
        }
        if (SOURCES.size() >= MOST_SOURCES) {
            Notices.note("more than " + MOST_SOURCES + " descriptions of components: the others are not asked");
            return;
        }
        SOURCES.add(source);
    }

    private static void put(ConcurrentMap<ComponentNode, ComponentNode> nodes, String name, Object held, boolean replace) {
        if (nodes.size() >= MOST) {
            Notices.note("more than " + MOST + " component nodes: heap dumps lack the others");
            return;
        }
        String cut = name.length() > LONGEST ? name.substring(0, LONGEST) : name;
        ComponentNode node = new ComponentNode(cut, held, GONE);
        ComponentNode before = nodes.putIfAbsent(node, node);
        if (before != null && replace && !before.name.equals(cut)) {
            // To replace the value would keep the old key, and the dump shows the key.
            nodes.remove(before);
            nodes.put(node, node);
        }
    }

    private static void removeGone() {
        for (Reference<?> gone = GONE.poll(); gone != null; gone = GONE.poll()) {
            NAMED.remove(gone);
        }
    }

    /** Asks all sources; what they say is in the heap until {@link #forget}. Never throws; takes {@link #PATIENCE_MS} at most. */
    static void describe() {
        removeGone();
        if (SOURCES.isEmpty()) {
            return;
        }
        ConcurrentMap<ComponentNode, ComponentNode> nodes = new ConcurrentHashMap<>();
        described = nodes;
        try {
            long end = System.nanoTime() + PATIENCE_MS * 1_000_000;
            for (Consumer<BiConsumer<String, Object>> source : SOURCES) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0 || !ask(source, nodes, left)) {
                    Notices.note("a heap dump lacks component nodes: their source took more than " + PATIENCE_MS + " ms");
                    break;
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (Throwable t) {
            Notices.failure("component nodes could not be made", t);
        }
    }

    /** True if the source returned in time, whatever came of it. */
    private static boolean ask(Consumer<BiConsumer<String, Object>> source,
            ConcurrentMap<ComponentNode, ComponentNode> nodes, long patienceMs) throws InterruptedException {
        Thread thread = new Thread(null, () -> {
            try {
                source.accept((name, held) -> {
                    if (name != null && held != null && described == nodes && !NAMED.containsKey(key(held))) {
                        put(nodes, name, held, false);
                    }
                });
            } catch (Throwable t) {
                Notices.failure("a source of component nodes failed", t);
            }
        }, "weighbridge-nodes", 0, false);
        thread.setDaemon(true);
        thread.start();
        thread.join(patienceMs);
        if (thread.isAlive()) {
            SOURCES.remove(source);
            return false;
        }
        return true;
    }

    private static ComponentNode key(Object held) {
        return new ComponentNode("", held, null);
    }

    /** After the dump: drops what was described for it. */
    static void forget() {
        described = null;
    }

    /** The runtime is switched off for good. */
    public static void abandon() {
        NAMED.clear();
        SOURCES.clear();
    }

    /** Nodes in the heap now, named and described. For tests. */
    static int count() {
        ConcurrentMap<ComponentNode, ComponentNode> nodes = described;
        removeGone();
        return NAMED.size() + (nodes == null ? 0 : nodes.size());
    }
}
