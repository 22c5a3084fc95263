package io.weighbridge.runtime.probe;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Where tracked objects were constructed: a call tree, outermost caller first, that all classes share.
 *
 * <p>Only objects that get a weak reference get a site: the stack is walked for each registration, never for a construction
 * that is only counted. Of a deep stack the frames nearest to the construction are kept. The outermost frame kept is marked
 * as cut, and is another node than the same frame of a whole stack. A node is a method below its caller, without line
 * numbers. When the tree is full, a stack ends at its deepest node in the tree, and {@link #FULL} below that stands for the
 * missing calls.
 *
 * <p>Any thread may call {@link #here}; nodes are added without locks and never removed. About 100 bytes a node.
 */
public final class AllocationSites {
    private static final int MOST_NODES = 20_000;
    /** Stands for calls for which the tree had no room. */
    static final String FULL = "(no room for further calls)";
    private static final Node ROOT = new Node(null, null, 0, false);
    /** The root of stacks whose outer frames were cut off. */
    private static final Node CUT = new Node(null, null, 0, false);
    private static final AtomicInteger NODES = new AtomicInteger();
    /** Frames kept of each stack; 0 while the option is off. */
    private static volatile int depth;

    private AllocationSites() {
    }

    /** A method in the tree. */
    public static final class Node {
        private static final AtomicReferenceFieldUpdater<Node, Node> CHILDREN =
                AtomicReferenceFieldUpdater.newUpdater(Node.class, Node.class, "children");
        /** The caller; null for an outermost frame. */
        public final Node parent;
        /** {@code com.acme.Cache.put}. */
        public final String frame;
        /** From 1, in the order of adding; beyond {@link #MOST_NODES} for {@link #FULL}. */
        public final int id;
        /** Whether outer frames of the stack were cut off above this one. */
        public final boolean cut;
        private Node sibling;
        private volatile Node children;

        private Node(Node parent, String frame, int id, boolean cut) {
            this.parent = parent;
            this.frame = frame;
            this.id = id;
            this.cut = cut;
        }

        private boolean isRoot() {
            return this == ROOT || this == CUT;
        }

        /** The node for missing calls below this one. */
        private Node full() {
            while (true) {
                Node first = children;
                for (Node c = first; c != null; c = c.sibling) {
                    if (c.id > MOST_NODES) {
                        return c;
                    }
                }
                Node fresh = new Node(this, FULL, MOST_NODES + id, false);
                fresh.sibling = first;
                if (CHILDREN.compareAndSet(this, first, fresh)) {
                    return fresh;
                }
            }
        }

        /** The child for a frame, added if need be; null if there is none and the tree is full. */
        private Node child(String type, String method) {
            Node fresh = null;
            while (true) {
                Node first = children;
                for (Node c = first; c != null; c = c.sibling) {
                    if (c.frame.length() == type.length() + 1 + method.length() && c.frame.startsWith(type)
                            && c.frame.endsWith(method)) {
                        return c;
                    }
                }
                if (fresh == null) {
                    int number = NODES.incrementAndGet();
                    if (number > MOST_NODES) {
                        NODES.decrementAndGet();
                        return null;
                    }
                    fresh = new Node(isRoot() ? null : this, type + "." + method, number, this == CUT);
                }
                fresh.sibling = first;
                if (CHILDREN.compareAndSet(this, first, fresh)) {
                    return fresh;
                }
            }
        }
    }

    /** Keeps that many frames from now on; 0 for none. */
    public static void keep(int frames) {
        if (frames > 0) {
            // Else the JDK's stack walker may be initialised where the program's stack ends: see FirstUse. No probe, no node.
            Walker.node(1);
        }
        depth = frames;
    }

    /** Whether stacks are kept. */
    public static boolean on() {
        return depth > 0;
    }

    /** The site of the object whose probe runs on this thread's stack; null if sites are off or there is no room left. */
    static Node here() {
        int frames = depth;
        if (frames == 0) {
            return null;
        }
        try {
            return Walker.node(frames);
        } catch (Throwable noMemoryOrStack) {
            return null;
        }
    }

    /** A class of its own, so that a program without sites never loads the stack walker. */
    private static final class Walker implements Function<Stream<StackWalker.StackFrame>, Node> {
        /** The classes of the runtime's frames up to the bridge. By name, because they use this class. */
        private static final String PACKAGE = AllocationSites.class.getPackageName() + ".";
        private static final String[] PROBES = {PACKAGE + "LiveProbe", PACKAGE + "LiveOthersProbe",
            PACKAGE + "NearestClass$Answer", PACKAGE + "SlowOthers", PACKAGE + "SlowPath"};
        private static final StackWalker STACK = StackWalker.getInstance();
        private final int frames;

        private Walker(int frames) {
            this.frames = frames;
        }

        static Node node(int frames) {
            return STACK.walk(new Walker(frames));
        }

        @Override
        public Node apply(Stream<StackWalker.StackFrame> stack) {
            ArrayDeque<StackWalker.StackFrame> outwards = new ArrayDeque<>(frames);
            boolean inProbe = true;
            boolean probeSeen = false;
            Iterator<StackWalker.StackFrame> it = stack.iterator();
            boolean cut = false;
            while (it.hasNext()) {
                if (outwards.size() == frames) {
                    cut = true;
                    break;
                }
                StackWalker.StackFrame frame = it.next();
                if (inProbe) {
                    boolean probe = Arrays.asList(PROBES).contains(frame.getClassName());
                    probeSeen |= probe;
                    inProbe = !probeSeen || probe || isBridge(frame.getClassName());
                }
                if (!inProbe) {
                    outwards.push(frame);
                }
            }
            Node node = cut ? CUT : ROOT;
            for (StackWalker.StackFrame frame : outwards) {
                Node child = node.child(frame.getClassName(), frame.getMethodName());
                if (child == null) {
                    return node.isRoot() ? null : node.full();
                }
                node = child;
            }
            return node.isRoot() ? null : node;
        }

        /** By the bridge's name (docs/probe-contract.md). */
        private static boolean isBridge(String type) {
            return type.startsWith("Weighbridge$", type.lastIndexOf('.') + 1);
        }
    }
}
