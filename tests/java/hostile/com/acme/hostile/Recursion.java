package com.acme.hostile;

import java.util.AbstractMap;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Rewritten classes that a measurement meets: what it calls of them would construct again. */
final class Recursion {
    private Recursion() {
    }

    /** Constructs when it is hashed, compared or printed. */
    static final class Key extends Thing {
        Key() {
            super(4);
        }

        @Override
        public int hashCode() {
            Thing.make();
            return 7;
        }

        @Override
        public boolean equals(Object other) {
            Thing.make();
            return other == this;
        }

        @Override
        public String toString() {
            return "key " + Thing.make().number();
        }
    }

    /** A collection that constructs when it is asked anything. */
    static final class Endless extends AbstractMap<String, Thing> {
        @Override
        public Set<Entry<String, Thing>> entrySet() {
            return Collections.<String, Thing>singletonMap("one", Thing.make()).entrySet();
        }
    }

    /** The probes ask a thread for its id, which it may compute as it likes before JDK 19. */
    static final class Worker extends Thread {
        private boolean inId;

        @Override
        @SuppressWarnings("deprecation")
        public long getId() {
            if (!inId) {
                inId = true;
                Thing.make();
                inId = false;
            }
            return super.getId();
        }

        @Override
        public void run() {
            for (int i = 0; i < 100; i++) {
                Thing.make();
            }
        }
    }

    /** Constructs whenever a class is looked for. */
    static final class Loader extends ClassLoader {
        Loader() {
            super(Loader.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Thing.make();
            return super.loadClass(name, resolve);
        }
    }

    static void run() throws Exception {
        Map<Object, Object> map = new HashMap<>();
        for (int i = 0; i < 20; i++) {
            map.put(new Key(), new Endless());
        }
        ThreadLocal<Key> local = ThreadLocal.withInitial(Key::new);
        local.get();
        Worker worker = new Worker();
        worker.start();
        worker.join();
        Loader loader = new Loader();
        map.put(loader, loader.loadClass("java.util.BitSet"));
        Requests.measure("in between");
        System.out.println("recursed " + map.size() + " " + local.get().number());
    }
}
