package com.acme.unannounced;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import sun.misc.Unsafe;

/** Makes objects with and without constructors, and keeps them until it is told to end. */
public final class Main {
    private static final List<Object> KEPT = new ArrayList<>();

    private Main() {
    }

    /** Copied by serialization, which runs no constructor of a serializable class. */
    static final class Letter implements Serializable {
        private static final long serialVersionUID = 1;
        final int number;

        Letter(int number) {
            this.number = number;
        }
    }

    /** Allocated by {@code Unsafe}. */
    static final class Raw {
        int value;
    }

    /** Made before measuring begins, if it begins later. */
    static final class Early {
        int value;
    }

    /** For {@code read()}: one line goes out, one comes in. */
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 3000; i++) {
            KEPT.add(new Early());
        }
        step("early");
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(written)) {
            for (int i = 0; i < 100; i++) {
                Letter letter = new Letter(i);
                KEPT.add(letter);
                out.writeObject(letter);
            }
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(written.toByteArray()))) {
            for (int i = 0; i < 100; i++) {
                KEPT.add(in.readObject());
            }
        }
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Unsafe unsafe = (Unsafe) field.get(null);
        for (int i = 0; i < 7; i++) {
            KEPT.add(unsafe.allocateInstance(Raw.class));
            KEPT.add(new Raw());
        }
        for (int i = 0; i < 11; i++) {
            KEPT.add(new Early());
        }
        step("made");
        System.out.println("kept " + KEPT.size());
    }

    private static void step(String said) throws Exception {
        System.out.println(said);
        System.out.flush();
        System.in.read();
    }
}
