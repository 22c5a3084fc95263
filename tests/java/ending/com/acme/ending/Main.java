package com.acme.ending;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjIntConsumer;

/**
 * Loads a class slowly: its superclass is loaded only when a line of the input says so. Needs
 * {@code --add-opens java.base/java.lang=ALL-UNNAMED} for {@code calls}.
 */
public final class Main {
    private static final String BRIDGE = "java.lang.Weighbridge$77656967682e2e2e";
    private static final List<Object> MADE = new ArrayList<>();

    private Main() {
    }

    public static void main(String[] arguments) throws Exception {
        Slow slow = new Slow();
        Thread loading = new Thread(slow, "loading");
        System.out.println("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "define":
                    loading.start();
                    slow.waits.await();
                    break;
                case "release":
                    slow.released.countDown();
                    loading.join();
                    break;
                case "make":
                    make(slow.late.getDeclaredConstructor(), Integer.parseInt(words[1]));
                    make(Other.class.getDeclaredConstructor(), Integer.parseInt(words[2]));
                    break;
                case "calls":
                    System.out.println(calls(slow.late.getDeclaredConstructor()));
                    continue;
                default:
                    throw new IllegalArgumentException(line);
            }
            System.out.println("done");
        }
    }

    private static void make(Constructor<?> constructor, int times) throws ReflectiveOperationException {
        for (int i = 0; i < times; i++) {
            MADE.add(constructor.newInstance());
        }
    }

    /** How often the constructor calls what is in the bridge: 0 if the class has its own bytes. */
    private static int calls(Constructor<?> constructor) throws ReflectiveOperationException {
        Field live = Class.forName(BRIDGE).getDeclaredField("LIVE");
        live.setAccessible(true);
        Object was = live.get(null);
        AtomicInteger calls = new AtomicInteger();
        ObjIntConsumer<Object> count = (object, id) -> {
            if (object.getClass() == constructor.getDeclaringClass()) {
                calls.incrementAndGet();
            }
        };
        live.set(null, count);
        constructor.newInstance();
        live.set(null, was);
        return calls.get();
    }

    /** Defines {@link Late} itself, and waits before it loads what that extends. */
    private static final class Slow extends ClassLoader implements Runnable {
        final CountDownLatch waits = new CountDownLatch(1);
        final CountDownLatch released = new CountDownLatch(1);
        volatile Class<?> late;

        Slow() {
            super(Main.class.getClassLoader());
        }

        @Override
        public void run() {
            String name = "com.acme.ending.Late";
            try (InputStream input = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = input.readAllBytes();
                late = defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.endsWith(".Above")) {
                waits.countDown();
                try {
                    released.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return super.loadClass(name, resolve);
        }
    }
}
