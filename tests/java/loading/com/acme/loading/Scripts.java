package com.acme.loading;

import java.io.IOException;
import java.io.InputStream;

/** Loads a class again and again in loaders that are not kept, as scripts do, and says how many objects it has made. */
public final class Scripts {
    private static final int LOADERS = 500;
    private static final int OBJECTS = 3;

    private Scripts() {
    }

    /** Defines one class. */
    private static final class Script extends ClassLoader {
        Class<?> define(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    private static byte[] bytes(String name) throws IOException {
        try (InputStream file = Scripts.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
            return file.readAllBytes();
        }
    }

    public static void main(String[] arguments) throws Exception {
        String name = "com.acme.loading.Classes$Note";
        byte[] bytes = bytes(name);
        for (int i = 1; i <= LOADERS; i++) {
            Class<?> script = new Script().define(name, bytes);
            for (int made = 0; made < OBJECTS; made++) {
                script.getConstructor().newInstance();
            }
            if (i % 100 == 0) {
                System.gc();
            }
        }
        System.out.println("made " + name + " " + LOADERS * OBJECTS);
    }
}
