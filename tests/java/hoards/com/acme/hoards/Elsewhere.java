package com.acme.hoards;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** Runs the program with classes of its own, the API's too: {@code Elsewhere CLASS-PATH}. The JVM's class path has a runtime as well. */
public final class Elsewhere {
    private Elsewhere() {
    }

    public static void main(String[] arguments) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String path : arguments[0].split(File.pathSeparator)) {
            urls.add(new File(path).toURI().toURL());
        }
        ClassLoader own = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        Class<?> weighbridge = own.loadClass("io.weighbridge.Weighbridge");
        if (weighbridge.getClassLoader() != own || weighbridge == Class.forName("io.weighbridge.Weighbridge")) {
            throw new AssertionError("the program's API is not its own");
        }
        own.loadClass("com.acme.hoards.Main").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }
}
