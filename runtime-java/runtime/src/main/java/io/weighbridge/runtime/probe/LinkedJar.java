package io.weighbridge.runtime.probe;

import io.weighbridge.runtime.link.ClassLines;
import io.weighbridge.runtime.link.LinkTable;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/** What the class table keeps of a jar. Guarded by the table's lock. */
final class LinkedJar {
    final String name;
    final ClassLines classes;
    final int base;
    /** The class loaders that brought it. Weak, because instrumenting must not keep an application alive. */
    private final List<WeakReference<ClassLoader>> loaders = new ArrayList<>(1);
    private boolean boot;

    LinkedJar(LinkTable table, int base) {
        this.name = table.jar;
        this.classes = table.classes;
        this.base = base;
    }

    /** Whether this loader brought it; null is the boot loader. */
    boolean isOf(ClassLoader loader) {
        if (loader == null) {
            return boot;
        }
        for (WeakReference<ClassLoader> known : loaders) {
            if (known.get() == loader) {
                return true;
            }
        }
        return false;
    }

    /** This loader brings it, too. */
    void add(ClassLoader loader) {
        boot |= loader == null;
        if (isOf(loader)) {
            return;
        }
        for (int i = loaders.size() - 1; i >= 0; i--) {
            if (loaders.get(i).get() == null) {
                loaders.remove(i);
            }
        }
        loaders.add(new WeakReference<>(loader));
    }

    /** The first of its loaders that is not collected; null is the boot loader. */
    ClassLoader loader() throws ClassNotFoundException {
        for (WeakReference<ClassLoader> known : loaders) {
            ClassLoader loader = known.get();
            if (loader != null) {
                return loader;
            }
        }
        if (boot) {
            return null;
        }
        throw new ClassNotFoundException(name);
    }
}
