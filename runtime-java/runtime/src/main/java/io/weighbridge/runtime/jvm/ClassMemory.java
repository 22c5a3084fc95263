package io.weighbridge.runtime.jvm;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * What is remembered with classes of the program, as a {@link ClassValue}, which keeps no class alive. It can be emptied: a
 * class holds its values strongly until somebody asks for another one, and so would hold the runtime when it is gone.
 */
public abstract class ClassMemory<T> extends ClassValue<T> {
    private static final int FIRST_LOOK = 1024;
    private final List<WeakReference<Class<?>>> classes = new ArrayList<>();
    private int nextLook = FIRST_LOOK;

    /** The value of a class. */
    protected abstract T compute(Class<?> type);

    @Override
    protected final T computeValue(Class<?> type) {
        T value = compute(type);
        synchronized (classes) {
            if (classes.size() >= nextLook) {
                classes.removeIf(known -> known.get() == null);
                nextLook = Math.max(FIRST_LOOK, 2 * classes.size());
            }
            classes.add(new WeakReference<>(type));
        }
        return value;
    }

    /** Forgets everything. A value that is asked for at the same time may stay. */
    public final void removeAll() {
        synchronized (classes) {
            for (WeakReference<Class<?>> known : classes) {
                Class<?> type = known.get();
                if (type != null) {
                    remove(type);
                }
            }
            classes.clear();
        }
    }
}
