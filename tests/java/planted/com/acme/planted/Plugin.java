package com.acme.planted;

/** A plugin with a cache in a static field. */
public class Plugin {
    static final byte[] CACHE = new byte[2 << 20];

    public static Runnable start() {
        return new PluginListener();
    }

    static class PluginListener implements Runnable {
        public void run() {
            System.out.println(CACHE.length);
        }
    }
}
