package com.acme.sick;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Has one illness, which its argument names, or none. */
public final class Main {
    private static final Object LOCK = new Object();
    private static final Object OTHER = new Object();
    private static final List<Object> LEAKED = new ArrayList<>();
    private static final Map<Long, Order> CACHE = new ConcurrentHashMap<>();
    private static final ThreadLocal<List<Order>> OF_THREAD = ThreadLocal.withInitial(ArrayList::new);
    private static final List<Session> LISTENERS = Collections.synchronizedList(new ArrayList<>());
    private static final List<ClassLoader> PLUGINS = new ArrayList<>();
    private static volatile Object sink;

    private Main() {
    }

    /** Some data. */
    static final class Order {
        private final byte[] data = new byte[500];
        private final long id;

        Order(long id) {
            this.id = id;
        }

        long id() {
            return id + data.length;
        }
    }

    /** What a visit has, and should leave. */
    static final class Session {
        private long visits;

        boolean visit(long n) {
            visits++;
            return n % 40 == 0;
        }
    }

    interface Work {
        void once(long n) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "leak":
                repeat(1, Main::leak);
                break;
            case "cache":
                repeat(1, Main::cache);
                break;
            case "thread_local":
                threadLocal();
                break;
            case "loaders":
                repeat(200, Main::plugin);
                break;
            case "forgotten":
                repeat(10, Main::visit);
                break;
            case "deadlock":
                deadlock();
                break;
            case "contention":
                contention();
                break;
            case "io":
                slowIo();
                break;
            case "exceptions":
                repeat(0, Main::storm);
                break;
            case "allocation":
                repeat(0, Main::hot);
                break;
            case "idle":
                repeat(1000, n -> { });
                break;
            case "compute":
                repeat(0, Main::compute);
                break;
            case "bounded":
                bounded();
                break;
            case "queue":
                queue();
                break;
            case "server":
                server();
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE);
    }

    /** On a thread of its own, with so many milliseconds between. */
    /** Whoever fails does not clean up. */
    private static void visit(long n) {
        Session session = new Session();
        LISTENERS.add(session);
        if (!session.visit(n)) {
            LISTENERS.remove(session);
        }
    }

    private static void repeat(long ms, Work work) {
        Thread thread = new Thread(() -> {
            try {
                for (long n = 0;; n++) {
                    work.once(n);
                    if (ms > 0) {
                        Thread.sleep(ms);
                    }
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, "worker");
        thread.start();
    }

    private static void leak(long n) {
        LEAKED.add(new Order(n));
    }

    private static void cache(long n) {
        CACHE.computeIfAbsent(n, Order::new);
    }

    /** Pool threads keep what each task has put there. */
    private static void threadLocal() {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        repeat(1, n -> pool.submit(() -> OF_THREAD.get().add(new Order(n))));
    }

    /** Each time a loader more, with a class of its own. */
    private static void plugin(long n) throws Exception {
        URL here = Main.class.getProtectionDomain().getCodeSource().getLocation();
        PluginLoader loader = new PluginLoader(new URL[] {here});
        Class.forName("com.acme.sick.Plugin", true, loader).getDeclaredConstructor().newInstance();
        PLUGINS.add(loader);
    }

    static final class PluginLoader extends URLClassLoader {
        PluginLoader(URL[] urls) {
            super(urls, null);
        }
    }

    private static void deadlock() {
        BlockingQueue<Integer> both = new ArrayBlockingQueue<>(2);
        start("first", () -> inOrder(LOCK, OTHER, both));
        start("second", () -> inOrder(OTHER, LOCK, both));
    }

    private static void inOrder(Object first, Object second, BlockingQueue<Integer> both) {
        synchronized (first) {
            both.add(1);
            while (both.size() < 2) {
                Thread.onSpinWait();
            }
            synchronized (second) {
                sink = both;
            }
        }
    }

    private static void contention() {
        for (int i = 0; i < 4; i++) {
            start("contender-" + i, () -> {
                while (true) {
                    synchronized (LOCK) {
                        sink = fib(20);
                    }
                }
            });
        }
    }

    private static void start(String name, Runnable work) {
        new Thread(work, name).start();
    }

    private static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    /** A service that takes 50 ms for each answer. */
    private static void slowIo() throws IOException {
        ServerSocket service = listen();
        start("service", () -> answer(service, 50));
        start("client", () -> ask(service));
    }

    private static ServerSocket listen() throws IOException {
        // Below those that clients get.
        for (int port = 20_000; port < 30_000; port++) {
            try {
                return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
            } catch (IOException taken) {
                continue;
            }
        }
        throw new IOException("no port is free");
    }

    private static void answer(ServerSocket service, long ms) {
        try (Socket client = service.accept()) {
            InputStream in = client.getInputStream();
            OutputStream out = client.getOutputStream();
            while (in.read() >= 0) {
                Thread.sleep(ms);
                out.write(1);
            }
        } catch (IOException | InterruptedException e) {
            e.printStackTrace();
        }
    }

    private static void ask(ServerSocket service) {
        try (Socket socket = new Socket(service.getInetAddress(), service.getLocalPort())) {
            while (true) {
                socket.getOutputStream().write(1);
                sink = socket.getInputStream().read();
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
    }

    private static void storm(long n) throws Exception {
        try {
            parse("x" + n);
        } catch (NumberFormatException wrong) {
            sink = wrong;
        }
        if (n % 10 == 0) {
            Thread.sleep(1);
        }
    }

    private static int parse(String text) {
        return Integer.parseInt(text);
    }

    private static void hot(long n) {
        sink = new byte[8192 + (int) (n & 7)];
    }

    private static void compute(long n) {
        sink = fib(25);
    }

    /** A cache that drops its eldest, warm when this returns. */
    private static void bounded() {
        Map<Long, Order> cache = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Order> eldest) {
                return size() > 5000;
            }
        };
        for (long n = 0; n < 6000; n++) {
            cache.put(n, new Order(n));
        }
        repeat(1, n -> cache.put(n % 20_000, new Order(n)));
    }

    /** Producers and consumers, which wait for each other as they should. */
    private static void queue() {
        BlockingQueue<Order> queue = new ArrayBlockingQueue<>(100);
        repeat(1, n -> queue.put(new Order(n)));
        repeat(0, n -> sink = queue.poll(1, TimeUnit.SECONDS));
    }

    /** Digests for a client, some hundred a second; waits for it in between. */
    private static void server() throws Exception {
        ServerSocket service = listen();
        start("client", () -> ask(service));
        start("service", () -> answer(service, 2));
        repeat(5, n -> {
            byte[] text = new byte[10_000];
            Arrays.fill(text, (byte) n);
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            Map<String, byte[]> found = new HashMap<>();
            found.put("digest", digest.digest(new ByteArrayInputStream(text).readAllBytes()));
            sink = found;
        });
    }
}
