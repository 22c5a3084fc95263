package com.acme.isolated;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** Runs a jar's main class in a loader that sees the JDK and that jar only. */
public final class Launch {
    private Launch() {
    }

    /** {@code null} or {@code platform} for the parent, the jar, its main class and its argument. */
    public static void main(String[] arguments) throws Exception {
        ClassLoader parent = arguments[0].equals("null") ? null : ClassLoader.getPlatformClassLoader();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {Path.of(arguments[1]).toUri().toURL()}, parent)) {
            loader.loadClass(arguments[2]).getMethod("main", String[].class).invoke(null, (Object) new String[] {arguments[3]});
        }
    }
}
