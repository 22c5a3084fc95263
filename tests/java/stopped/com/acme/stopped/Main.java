package com.acme.stopped;

import io.weighbridge.Cancelled;
import io.weighbridge.runtime.contract.NativeMethods;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that work at random under locks, in {@code finally} blocks and in JDK structures, some of it permitted to be stopped,
 * and one that stops them: {@code Main SEED STOPS}. Ends with what was found wrong, or with the numbers of all.
 */
public final class Main {
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final Object MONITOR = new Object();
    private static final AtomicInteger INSIDE = new AtomicInteger();
    private static final AtomicInteger CLEANED = new AtomicInteger();
    private static final Map<Integer, Object> SHARED = new ConcurrentHashMap<>();
    private static final List<Object> LOCKED = new ArrayList<>();
    private static final AtomicLong RUNS = new AtomicLong();
    private static final AtomicLong CAUGHT = new AtomicLong();
    private static volatile String wrong;
    private static volatile boolean over;
    private static volatile Object sink;

    private Main() {
    }

    /** Permitted work. The agent reads the field: no work is stopped that has ended. */
    private static final class Piece {
        volatile boolean open = true;
    }

    /** What a worker works on now; read by the stopper, which may come too late. */
    private static final class Worker implements Runnable {
        final Random random;
        final boolean isPermitted;
        volatile Thread thread;
        volatile Object work;

        Worker(long seed, boolean isPermitted) {
            this.random = new Random(seed);
            this.isPermitted = isPermitted;
        }

        @Override
        public void run() {
            thread = Thread.currentThread();
            while (!over && wrong == null) {
                if (isPermitted) {
                    permitted();
                }
                try {
                    work(random, random.nextInt(6));
                } catch (Cancelled error) {
                    fail("work that was not permitted was stopped", error);
                }
                check();
                RUNS.incrementAndGet();
            }
        }

        private void permitted() {
            Piece mine = new Piece();
            try {
                work = mine;
                work(random, random.nextInt(6));
            } catch (Cancelled error) {
                CAUGHT.incrementAndGet();
                if (work != mine) {
                    fail("other work was stopped", error);
                }
            }
            // Not in a finally block: nothing is stopped there, and this must be counted.
            mine.open = false;
            work = null;
            check();
        }
    }

    private static void work(Random random, int kind) {
        int size = 1 + random.nextInt(300);
        switch (kind) {
            case 0:
                LOCK.lock();
                try {
                    INSIDE.incrementAndGet();
                    try {
                        for (int i = 0; i < size; i++) {
                            sink = new int[8];
                        }
                    } finally {
                        INSIDE.decrementAndGet();
                    }
                } finally {
                    LOCK.unlock();
                }
                break;
            case 1:
                synchronized (MONITOR) {
                    List<Object> some = new ArrayList<>();
                    for (int i = 0; i < size; i++) {
                        some.add(new Object());
                    }
                    sink = some;
                }
                break;
            case 2:
                CLEANED.incrementAndGet();
                try {
                    for (int i = 0; i < size; i++) {
                        SHARED.merge(i, "a", (a, b) -> b);
                        sink = new Object[2];
                    }
                } finally {
                    // Has to get through, though it allocates and repeats a loop.
                    int cleaned = 0;
                    for (int i = 0; i < 40; i++) {
                        sink = new Object();
                        cleaned++;
                    }
                    CLEANED.addAndGet(cleaned - 41);
                }
                break;
            case 3:
                deep(size / 4, random);
                break;
            case 4:
                SHARED.computeIfAbsent(random.nextInt(1000), key -> {
                    Object made = null;
                    for (int i = 0; i < size; i++) {
                        made = new int[4];
                    }
                    return made;
                });
                SHARED.remove(random.nextInt(1000));
                break;
            default:
                synchronized (LOCKED) {
                    if (LOCKED.size() > 1000) {
                        LOCKED.clear();
                    }
                    LOCKED.add(new Object());
                }
                new Initialized(size).use();
                break;
        }
    }

    private static int deep(int depth, Random random) {
        try {
            sink = new byte[16];
            return depth == 0 ? 0 : 1 + deep(depth - 1, random);
        } finally {
            sink = null;
        }
    }

    /** As after any exception: nothing of this thread's is held, and what was begun was ended. */
    private static void check() {
        if (LOCK.isHeldByCurrentThread() || Thread.holdsLock(MONITOR) || Thread.holdsLock(LOCKED)) {
            fail("a lock is held", null);
        }
    }

    private static void fail(String what, Throwable error) {
        if (wrong == null) {
            wrong = what;
        }
        if (error != null) {
            error.printStackTrace();
        }
    }

    private static final class Initialized {
        private final Object[] parts;

        Initialized(int size) {
            parts = new Object[size];
            for (int i = 0; i < size; i++) {
                parts[i] = new Object();
            }
        }

        void use() {
            sink = parts;
        }
    }

    public static void main(String[] arguments) throws Exception {
        long seed = Long.parseLong(arguments[0]);
        int stops = Integer.parseInt(arguments[1]);
        Random random = new Random(seed);
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            workers.add(new Worker(random.nextLong(), i < 4));
        }
        ExecutorService pool = Executors.newFixedThreadPool(workers.size());
        workers.forEach(pool::execute);
        long[] told = new long[8];
        for (int run = 0; run < stops && wrong == null; run++) {
            Worker worker = workers.get(random.nextInt(4));
            Object work = worker.work;
            if (work == null || worker.thread == null) {
                run--;
                continue;
            }
            long caught = CAUGHT.get();
            int answer = NativeMethods.stop(worker.thread, work, Cancelled.withoutStack("run " + run), random.nextInt(3));
            told[answer]++;
            // One at a time: the second of two would come when the first was caught.
            for (int i = 0; answer == NativeMethods.STOPPED && CAUGHT.get() == caught && wrong == null; i++) {
                if (i > 10_000) {
                    fail("a thread that was stopped goes on", null);
                }
                Thread.sleep(1);
            }
        }
        over = true;
        pool.shutdown();
        if (!pool.awaitTermination(60, java.util.concurrent.TimeUnit.SECONDS)) {
            wrong = "a thread does not end";
        }
        if (wrong == null && (INSIDE.get() != 0 || CLEANED.get() != 0 || LOCK.isLocked())) {
            wrong = "left behind: " + INSIDE + " inside, " + CLEANED + " not cleaned up, " + LOCK;
        }
        if (wrong == null && told[0] != CAUGHT.get()) {
            wrong = told[0] + " were stopped, " + CAUGHT + " have noticed";
        }
        System.out.println(wrong != null ? "wrong: " + wrong
                : "stopped " + told[0] + " ended " + told[1] + " initializer " + told[2] + " system " + told[3] + " called "
                        + told[4] + " no stopping point " + told[5] + " refused " + told[6]);
    }
}
