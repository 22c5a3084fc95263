package com.acme.attached;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjIntConsumer;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * A program under load that does what a line of its input says, and answers with a line.
 *
 * <p>Needs {@code --add-opens java.base/java.lang=ALL-UNNAMED} for {@code calls} and {@code work}.
 */
public final class Main {
    private static final String BRIDGE = "java.lang.Weighbridge$77656967682e2e2e";
    private static final List<Counted> MADE = new ArrayList<>();

    private Main() {
    }

    public static void main(String[] arguments) throws Exception {
        Load[] load = {new Load(), new Load()};
        for (Load thread : load) {
            thread.start();
        }
        System.out.println("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("end")) {
                long digest = 0;
                for (Load thread : load) {
                    digest = 31 * digest + thread.end();
                }
                System.out.println("made " + MADE.size() + ", digest " + digest);
                System.exit(Integer.parseInt(words[1]));
            }
            if (words[0].equals("fill")) {
                for (Load thread : load) {
                    thread.end();
                }
                Filled.run();
            } else {
                System.out.println(answer(words));
            }
        }
    }

    private static String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "make":
                return make(Integer.parseInt(words[1]));
            case "calls":
                return calls();
            case "work":
                return Tasks.run(Class.forName(BRIDGE));
            case "ask":
                return ask(words[1]);
            case "empty":
                return "empty";
            case "api":
                return api();
            default:
                return state();
        }
    }

    private static String make(int count) {
        for (int i = 0; i < count; i++) {
            MADE.add(new Counted(i));
        }
        return "made " + MADE.size();
    }

    /** How often a probe calls what is in the bridge, for one object: 0 if the class has its own bytes. */
    private static String calls() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Field live;
        try {
            live = Class.forName(BRIDGE).getDeclaredField("LIVE");
        } catch (ClassNotFoundException nobodyMeasured) {
            return "calls 0";
        }
        live.setAccessible(true);
        Object was = live.get(null);
        ObjIntConsumer<Object> count = (object, id) -> {
            if (object instanceof Counted) {
                calls.incrementAndGet();
            }
        };
        live.set(null, count);
        new Counted(0);
        live.set(null, was);
        return "calls " + calls;
    }

    /** Whether a measurement was written that was asked for by the API, in a scope; {@code none} if there is no API. */
    private static String api() throws Exception {
        Class<?> api;
        try {
            api = Class.forName("io.weighbridge.Weighbridge");
        } catch (ClassNotFoundException nobodyMeasured) {
            return "none";
        }
        try (AutoCloseable scope = (AutoCloseable) api.getMethod("scope", String.class, String.class).invoke(null, "a", "b")) {
            if (!(boolean) api.getMethod("admit", String.class, String.class).invoke(null, "a", "b")) {
                return "refused";
            }
            return String.valueOf(api.getMethod("measure", String.class).invoke(null, "by the program"));
        }
    }

    /** What the runtime's managed bean replies to a request, as a client of JMX gets it; nothing if there is no bean. */
    private static String ask(String request) throws Exception {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName bean = new ObjectName("io.weighbridge:type=Runtime");
        return !beans.isRegistered(bean) ? "" : (String) beans.invoke(bean, "request", new Object[] {request},
                new String[] {String.class.getName()});
    }

    /** After collections: loaders of our runtime, bytes of live objects, threads of ours, bytes of metaspace. */
    private static String state() throws Exception {
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(20);
        }
        Object loaders = ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "vmClassloaderStats",
                new Object[] {null}, new String[] {String[].class.getName()});
        int ofRuntime = loaders.toString().split("io.weighbridge.loader.RuntimeLoader", -1).length - 1;
        int threads = 0;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            threads += thread.getName().startsWith("weighbridge") ? 1 : 0;
        }
        long heap = 0;
        long metaspace = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            metaspace += pool.getName().equals("Metaspace") ? pool.getUsage().getUsed() : 0;
            // When the collection was done, without what the threads under load have constructed since.
            heap += pool.getCollectionUsage() == null ? 0 : pool.getCollectionUsage().getUsed();
        }
        return "loaders " + ofRuntime + " heap " + heap + " threads " + threads + " metaspace " + metaspace;
    }
}
