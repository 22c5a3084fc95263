package io.weighbridge.runtime;

import io.weighbridge.Weighbridge;
import io.weighbridge.runtime.control.Life;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.registry.CollectionClock;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.Deflater;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** A program that a test starts in a JVM of its own; it constructs known numbers of objects and ends as told. */
public final class Program {
    static final int CACHES = 10;
    static final int ENTRIES = 100;
    /** Entries that nothing but a list holds. */
    static final int APART = 50_000;
    /** Entries of one cache: with their keys and nodes four objects each. */
    static final int TOGETHER = 50_000;

    static final class Cache {
        final Map<String, Object> entries = new HashMap<>();
        final byte[] statistics = new byte[500];
    }

    static final class Entry {
        final long[] data = new long[4];
    }

    static final class Event {
    }

    private static final List<Object> KEPT = new ArrayList<>();

    private Program() {
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("nothing")) {
            return;
        }
        if (arguments[0].equals("sentinel")) {
            sentinel();
            return;
        }
        TestJar jar = new TestJar().component("store").component("events").type(Cache.class, "live", "store", "entries")
                .type(Entry.class, "live", "store", "").type(Event.class, "count", "events", "").link();
        if (jar.isSilent()) {
            System.out.println("silent");
            return;
        }
        for (int c = 0; c < CACHES; c++) {
            Cache cache = new Cache();
            jar.live(cache, Cache.class, 0);
            KEPT.add(cache);
            for (int i = 0; i < ENTRIES * 2; i++) {
                Entry entry = new Entry();
                jar.live(entry, Entry.class, 1);
                jar.count(Event.class, Event.class, 2);
                if (i % 2 == 0) {
                    cache.entries.put("key" + i, entry);
                }
            }
        }
        switch (arguments[0]) {
            case "apart":
                for (int i = 0; i < APART; i++) {
                    Entry entry = new Entry();
                    jar.live(entry, Entry.class, 1);
                    KEPT.add(entry);
                }
                System.out.println(Weighbridge.measure(null));
                break;
            case "together":
                Cache first = (Cache) KEPT.get(0);
                for (int i = 0; i < TOGETHER; i++) {
                    first.entries.put("other" + i, new int[1]);
                }
                System.out.println(Weighbridge.measure(null));
                break;
            case "request":
                System.out.println(Weighbridge.measure("the label"));
                break;
            case "bean":
                bean();
                break;
            case "wait":
                System.out.println(Weighbridge.measure(null));
                System.out.flush();
                Thread.sleep(60_000);
                break;
            case "sampled":
                sampled();
                break;
            case "pinned":
                pinned();
                break;
            case "virtual":
                virtual();
                break;
            case "interval":
                while (Life.current().snapshots() < 3) {
                    Thread.sleep(20);
                }
                break;
            case "disable":
                disable(jar);
                break;
            case "exit":
                System.exit(7);
                break;
            default:
                Thread.sleep(1500);
                break;
        }
        System.out.println(KEPT.size());
    }

    static final int PARTICLES = 60_000;

    static final class Particle {
    }

    /** Far more objects than the budget of references, of which every third stays; class ids go on where the others end. */
    private static void sampled() {
        TestJar jar = new TestJar().live(Particle.class).link();
        for (int i = 0; i < 3 * PARTICLES; i++) {
            Particle particle = new Particle();
            jar.live(particle, Particle.class, 0);
            if (i % 3 == 0) {
                KEPT.add(particle);
            }
        }
        System.out.println(Weighbridge.measure("sampled"));
    }

    /** Dumps the heap beside threads that are mostly in native code that pins it. */
    private static void pinned() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            Thread thread = new Thread(() -> {
                byte[] zeros = new byte[32 << 20];
                byte[] deflated = new byte[1 << 20];
                while (!over.get()) {
                    Deflater deflater = new Deflater();
                    deflater.setInput(zeros);
                    deflater.finish();
                    deflater.deflate(deflated);
                    deflater.end();
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (int i = 0; i < 5; i++) {
            System.out.println(Weighbridge.dumpHeap(System.getProperty("java.io.tmpdir") + "/" + i + ".hprof"));
        }
        over.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static final int VIRTUAL_THREADS = 500;

    /** Constructs on virtual threads, before and after a collection. */
    private static void virtual() throws Exception {
        TestJar jar = new TestJar().live(Particle.class).link();
        ExecutorService each = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        for (int round = 0; round < 2; round++) {
            List<Future<?>> done = new ArrayList<>();
            for (int t = 0; t < VIRTUAL_THREADS; t++) {
                done.add(each.submit(() -> {
                    for (int i = 0; i < 10; i++) {
                        jar.live(new Particle(), Particle.class, 0);
                    }
                }));
            }
            for (Future<?> f : done) {
                f.get();
            }
            System.out.println(Weighbridge.measure("round " + round));
        }
        each.shutdown();
    }

    /** Prints whether collections are seen by a clock whose sentinel's object a collector keeps, before and after a wait. */
    private static void sentinel() throws Exception {
        CollectionClock clock = new CollectionClock();
        clock.start();
        Field field = CollectionClock.class.getDeclaredField("sentinel");
        field.setAccessible(true);
        Object promoted = ((Reference<?>) field.get(clock)).get();
        System.gc();
        System.out.println(clock.await(200));
        System.gc();
        System.out.println(clock.await(20_000));
        Reference.reachabilityFence(promoted);
    }

    /** Prints what is left running. */
    private static void disable(TestJar jar) {
        Thread ticker = null;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            ticker = thread.getName().equals("weighbridge") ? thread : ticker;
        }
        System.out.println("before " + (ticker != null && ticker.isAlive()));
        Weighbridge.disable();
        System.out.println("after " + ticker.isAlive());
        jar.live(new Entry(), Entry.class, 1);
        jar.count(Event.class, Event.class, 2);
        long references = 0;
        for (ClassEntry entry : ClassTable.entries()) {
            references += TestJar.registry().of(entry).sample.count;
        }
        System.out.println("references " + references + ", counted " + (jar.allocated(1) + jar.allocated(2))
                + ", measured " + Weighbridge.measure("too late") + ", linked "
                + !new TestJar().live(Entry.class).link().isSilent());
    }

    private static void bean() throws Exception {
        ObjectName name = new ObjectName("io.weighbridge:type=Runtime");
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (int i = 0; i < 600 && !server.isRegistered(name); i++) {
            Thread.sleep(50);
        }
        System.out.println(server.invoke(name, "dump", new Object[] {"by bean"}, new String[] {String.class.getName()}));
        System.out.println(server.getAttribute(name, "Recording"));
        System.out.println(server.invoke(name, "request", new Object[] {"{}"}, new String[] {String.class.getName()}));
    }
}
