package io.weighbridge.runtime;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Where tracked objects were constructed: a call tree, outermost caller first, that all classes share (S1.22, S1.38).
 *
 * <p>Only objects that get a weak reference get a site, so the stack is walked for each registration and never for a
 * construction that is merely counted. Of a deep stack the frames nearest to the construction are kept. A node is a
 * method below its caller, without line numbers. When the tree is full a stack ends at the deepest node that is in it.
 *
 * <p>Any thread may call {@link #here}; nodes are added without locks and never removed. About 100 bytes a node.
 */
final class AllocationSites {
    private static final int MOST_NODES = 20_000;
    private static final Node ROOT = new Node(null, null, 0);
    private static final AtomicInteger NODES = new AtomicInteger();
    /** Frames kept of each stack; 0 while the option is off. */
    private static volatile int depth;

    private AllocationSites() {
    }

    /** A method in the tree. */
    static final class Node {
        private static final AtomicReferenceFieldUpdater<Node, Node> CHILDREN =
                AtomicReferenceFieldUpdater.newUpdater(Node.class, Node.class, "children");
        /** Null for a method that no frame kept called. */
        final Node parent;
        /** {@code com.acme.Cache.put}. */
        final String frame;
        /** From 1, in the order of adding. */
        final int id;
        private Node sibling;
        private volatile Node children;

        private Node(Node parent, String frame, int id) {
            this.parent = parent;
            this.frame = frame;
            this.id = id;
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
                    fresh = new Node(this == ROOT ? null : this, type + "." + method, number);
                }
                fresh.sibling = first;
                if (CHILDREN.compareAndSet(this, first, fresh)) {
                    return fresh;
                }
            }
        }
    }

    /** Keeps that many frames from now on; 0 for none. */
    static void keep(int frames) {
        depth = frames;
    }

    static boolean on() {
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

    /** Apart, so that a program without sites never loads the stack walker. */
    private static final class Walker implements Function<Stream<StackWalker.StackFrame>, Node> {
        /** Where the program's frames end and the runtime's begin, but for the bridge between them. */
        private static final String PROBE = LiveProbe.class.getName();
        private static final String OTHERS = LiveOthersProbe.class.getName();
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
            while (it.hasNext() && outwards.size() < frames) {
                StackWalker.StackFrame frame = it.next();
                if (inProbe) {
                    boolean probe = frame.getClassName().equals(PROBE) || frame.getClassName().equals(OTHERS);
                    probeSeen |= probe;
                    inProbe = !probeSeen || probe || isBridge(frame.getClassName());
                }
                if (!inProbe) {
                    outwards.push(frame);
                }
            }
            Node node = ROOT;
            for (StackWalker.StackFrame frame : outwards) {
                Node child = node.child(frame.getClassName(), frame.getMethodName());
                if (child == null) {
                    break;
                }
                node = child;
            }
            return node == ROOT ? null : node;
        }

        /** By the bridge's name (docs/probe-contract.md). */
        private static boolean isBridge(String type) {
            return type.startsWith("Weighbridge$", type.lastIndexOf('.') + 1);
        }
    }
}
