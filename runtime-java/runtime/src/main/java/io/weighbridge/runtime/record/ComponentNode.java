package io.weighbridge.runtime.record;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * A node of the semantic tree, as a heap dump has it: a name, and one object that belongs to it.
 *
 * <p>{@code weighbridge heap} finds it by this class's name, {@link #name} and {@code Reference.referent}: these are a
 * contract. Weak, so that a node changes no object's retained bytes and keeps no garbage. Two nodes of one object are equal.
 */
final class ComponentNode extends WeakReference<Object> {
    /** The component: the parts of the name before its dots and its bracket are its parents. */
    final String name;
    private final int hash;

    ComponentNode(String name, Object held, ReferenceQueue<Object> gone) {
        super(held, gone);
        this.name = name;
        hash = System.identityHashCode(held);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        Object held = get();
        return held != null && other instanceof ComponentNode && ((ComponentNode) other).get() == held;
    }
}
