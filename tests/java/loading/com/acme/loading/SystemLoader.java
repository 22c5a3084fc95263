package com.acme.loading;

import java.io.InputStream;

/** A system class loader that defines the program's classes itself. */
public class SystemLoader extends ClassLoader {
    public SystemLoader(ClassLoader parent) {
        super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            if (!name.startsWith("com.acme.loading.") || name.contains("SystemLoader") || findLoadedClass(name) != null) {
                return super.loadClass(name, resolve);
            }
            try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (Exception unreadable) {
                throw new ClassNotFoundException(name, unreadable);
            }
        }
    }

    /** One to which an agent in Java may append its jar. */
    public static final class Appendable extends SystemLoader {
        public Appendable(ClassLoader parent) {
            super(parent);
        }

        @SuppressWarnings("unused") // The JVM calls it.
        private void appendToClassPathForInstrumentation(String path) {
        }
    }
}
