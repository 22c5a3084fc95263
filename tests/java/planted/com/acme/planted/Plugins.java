package com.acme.planted;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** A plugin that is loaded anew for each reload, and registers a listener that nobody removes. */
class Plugins {
    static final List<Runnable> LISTENERS = new ArrayList<>();

    static void reload(int times) throws Exception {
        URL here = Plugins.class.getProtectionDomain().getCodeSource().getLocation();
        for (int i = 0; i < times; i++) {
            URLClassLoader loader = new URLClassLoader(new URL[] {here}, Plugins.class.getClassLoader()) {
                @Override
                protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                    synchronized (getClassLoadingLock(name)) {
                        if (!name.startsWith("com.acme.planted.Plugin") || name.endsWith("Plugins")) {
                            return super.loadClass(name, resolve);
                        }
                        Class<?> known = findLoadedClass(name);
                        return known != null ? known : findClass(name);
                    }
                }
            };
            Class<?> plugin = loader.loadClass("com.acme.planted.Plugin");
            LISTENERS.add((Runnable) plugin.getDeclaredMethod("start").invoke(null));
        }
    }
}
