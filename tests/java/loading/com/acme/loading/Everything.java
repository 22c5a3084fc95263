package com.acme.loading;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.ref.Cleaner;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Uses much of java.base on many threads, and prints what comes out. Ends with 99 if it hangs. */
public final class Everything {
    private static final int TASKS = 200;
    private static final ThreadLocal<List<Integer>> LOCAL = ThreadLocal.withInitial(ArrayList::new);

    private Everything() {
    }

    private static void watch() {
        Thread watch = new Thread(() -> {
            try {
                Thread.sleep(90_000);
            } catch (InterruptedException end) {
                return;
            }
            System.err.println("it hangs");
            Thread.getAllStackTraces().forEach((thread, frames) -> {
                System.err.println(thread);
                for (StackTraceElement frame : frames) {
                    System.err.println("    " + frame);
                }
            });
            Runtime.getRuntime().halt(99);
        });
        watch.setDaemon(true);
        watch.start();
    }

    private static ExecutorService virtual() throws Exception {
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException before21) {
            return Executors.newCachedThreadPool();
        }
    }

    private static long task(int i, Semaphore permits, ReentrantLock lock, ConcurrentHashMap<String, Integer> shared) throws Exception {
        LOCAL.get().add(i);
        permits.acquire();
        try {
            Thread.sleep(i % 3);
            synchronized (shared) {
                shared.merge("synchronized", 1, Integer::sum);
            }
            lock.lock();
            try {
                Thread.yield();
                shared.merge("locked", 1, Integer::sum);
            } finally {
                lock.unlock();
            }
        } finally {
            permits.release();
        }
        return String.format(Locale.ROOT, "%05d", i).hashCode();
    }

    private static void threads(ExecutorService executor) throws Exception {
        Semaphore permits = new Semaphore(7);
        ReentrantLock lock = new ReentrantLock();
        ConcurrentHashMap<String, Integer> shared = new ConcurrentHashMap<>();
        List<Future<Long>> results = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            int number = i;
            results.add(executor.submit(() -> task(number, permits, lock, shared)));
        }
        long sum = 0;
        for (Future<Long> result : results) {
            sum += result.get();
        }
        executor.shutdown();
        if (!executor.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("a thread hangs");
        }
        System.out.println("tasks " + sum + " " + new TreeMap<>(shared));
    }

    private static void waiting() throws Exception {
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
        CountDownLatch latch = new CountDownLatch(10);
        timer.scheduleAtFixedRate(latch::countDown, 0, 1, TimeUnit.MILLISECONDS);
        latch.await();
        timer.shutdownNow();
        SynchronousQueue<String> queue = new SynchronousQueue<>();
        CompletableFuture<String> taken = CompletableFuture.supplyAsync(() -> {
            try {
                return queue.poll(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }).thenApplyAsync(text -> text + "!").orTimeout(1, TimeUnit.MINUTES);
        queue.put("handed over");
        System.out.println(taken.get() + " " + Duration.ofMillis(61_001));
    }

    private static void references() throws Exception {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        PhantomReference<Object> phantom = new PhantomReference<>(new Object(), queue);
        WeakHashMap<Object, String> map = new WeakHashMap<>();
        map.put(new Object(), "value");
        CountDownLatch cleaned = new CountDownLatch(1);
        Cleaner.create().register(new Object(), cleaned::countDown);
        ByteBuffer.allocateDirect(1 << 16);
        WeakReference<byte[]> weak = new WeakReference<>(new byte[1 << 16]);
        while (cleaned.getCount() > 0 || weak.get() != null || !map.isEmpty() || queue.remove(10) == null) {
            System.gc();
        }
        System.out.println("cleaned " + phantom.get());
    }

    @SuppressWarnings("unchecked")
    private static void rest() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ObjectOutputStream(out).writeObject(new TreeMap<>(IntStream.range(0, 100).boxed().collect(Collectors.toMap(i -> i, i -> "v" + i))));
        Object back = new ObjectInputStream(new ByteArrayInputStream(out.toByteArray())).readObject();
        Callable<String> proxy = (Callable<String>) Proxy.newProxyInstance(Everything.class.getClassLoader(),
                new Class<?>[] {Callable.class}, (self, method, arguments) -> method.getName());
        String words = Pattern.compile("\\W+").splitAsStream("the end of the beginning of the end").parallel()
                .collect(Collectors.groupingByConcurrent(word -> word, Collectors.counting())).entrySet().stream()
                .sorted((a, b) -> a.getKey().compareTo(b.getKey())).map(Object::toString).collect(Collectors.joining(","));
        System.out.println(back.hashCode() + " " + proxy.call() + " " + words + " " + BigInteger.TEN.pow(50).bitLength());
        int deep = 0;
        for (int i = 0; i < 20; i++) {
            try {
                recurse(0);
            } catch (StackOverflowError end) {
                deep++;
            }
        }
        System.out.println("overflows " + deep);
        for (int i = 0; i < 2000; i++) {
            // After 15 calls reflection generates code up to 17.
            Everything.class.getDeclaredMethod("nothing", String.class, int.class).invoke(null, "a" + i, i);
        }
    }

    private static int recurse(int depth) {
        return recurse(new ArrayList<>(List.of(depth)).get(0) + 1) + 1;
    }

    static void nothing(String text, int number) {
    }

    public static void main(String[] arguments) throws Exception {
        watch();
        for (int round = 0; round < 2; round++) {
            threads(Executors.newFixedThreadPool(16));
            threads(virtual());
            threads(Executors.newWorkStealingPool());
            waiting();
            references();
            rest();
        }
    }
}
