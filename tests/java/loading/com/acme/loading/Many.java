package com.acme.loading;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Loads so many classes at once that nobody can prepare for them, and makes an object of each afterwards. */
public final class Many {
    private static final int CLASSES = 20_000;

    private Many() {
    }

    /** All classes are this one under other names of the same length. */
    static final class Part00000 {
    }

    /** Defines the classes. */
    private static final class Own extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    /** With a number instead of the zeros, wherever the name occurs. */
    private static byte[] bytes(byte[] template, int number) {
        String text = new String(template, StandardCharsets.ISO_8859_1);
        return text.replace("Part00000", String.format("Part%05d", number)).getBytes(StandardCharsets.ISO_8859_1);
    }

    public static void main(String[] arguments) throws Exception {
        byte[] template;
        try (InputStream file = Many.class.getResourceAsStream("Many$Part00000.class")) {
            template = file.readAllBytes();
        }
        byte[][] files = new byte[CLASSES][];
        for (int i = 0; i < CLASSES; i++) {
            files[i] = bytes(template, i + 1);
        }
        Own loader = new Own();
        Class<?>[] classes = new Class<?>[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            classes[i] = loader.define(files[i]);
        }
        for (Class<?> type : classes) {
            var constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            constructor.newInstance();
        }
        System.out.println("made " + CLASSES);
    }
}
