package com.acme.hostile;

import java.util.ArrayList;
import java.util.List;

/** Ways to end. */
final class Endings {
    private Endings() {
    }

    /** A hook constructs and has another thread call exit, which blocks for ever by its contract. */
    static void exitInHook() {
        Main.plain();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            Main.plain();
            Thread exit = new Thread(() -> System.exit(5));
            exit.setDaemon(true);
            exit.start();
            System.out.println("hook");
        }));
        System.exit(3);
    }

    /** Exits while holding the lock of a class loader whose classes are measured. */
    static void exitWithLock() throws Exception {
        Main.plain();
        ClassLoader loader = new Locked();
        Object held = loader.loadClass("com.acme.hostile.Holder").getDeclaredConstructor().newInstance();
        Object lock = loader;
        synchronized (lock) {
            System.out.println("exits " + held.getClass().getSimpleName());
            System.exit(4);
        }
    }

    /** Defines the program's classes anew, one at a time under its own lock: it is not parallel capable. */
    static final class Locked extends ClassLoader {
        @Override
        protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("com.acme.hostile.H")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (java.io.InputStream in = Locked.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static void uncaught() throws InterruptedException {
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> System.out.println("uncaught " + e.getMessage()));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Thread thread = new Thread(() -> {
                Thing.make();
                throw new IllegalStateException("on purpose");
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void interrupted() throws ReflectiveOperationException {
        Thread.currentThread().interrupt();
        Main.plain();
        Requests.measure("interrupted");
        System.out.println("interrupted " + Thread.currentThread().isInterrupted());
    }
}
