package suspects;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import suspects.things.Holder;
import suspects.things.Item;
import suspects.things.Request;

/**
 * Ways in which programs keep objects, healthy ones and leaks, each a few seconds long. They test rules that look for
 * leaks. {@code Scenarios NAME SEED TICKS MEASURE}: every so many ticks the program asks for a measurement, or
 * never if MEASURE is 0. A tick comes each millisecond, late ones follow at once: rates are by the clock, and a busy
 * machine must not change them.
 */
public final class Scenarios {
    private static Object kept;

    private Scenarios() {
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(Long.parseLong(args[1]));
        long ticks = Long.parseLong(args[2]);
        long measure = Long.parseLong(args[3]);
        LongConsumer scenario = scenario(args[0], random, ticks);
        long start = System.nanoTime();
        for (long tick = 0; tick < ticks; tick++) {
            for (int i = 0; i < 20; i++) {
                served = new Request(100 + random.nextInt(400));
            }
            scenario.accept(tick);
            if (measure != 0 && tick % measure == measure - 1) {
                Class.forName("io.weighbridge.Weighbridge").getMethod("measure", String.class).invoke(null, "tick " + tick);
            }
            long due = start + (tick + 1) * 1_000_000;
            while (System.nanoTime() - due < 0) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
        }
        served = null;
        System.out.println(args[0] + " done, " + (kept != null));
    }

    private static Request served;

    private static <C> C hold(C content) {
        kept = new Holder<>(content);
        return content;
    }

    private static LongConsumer scenario(String name, Random random, long ticks) {
        switch (name) {
            // Healthy: what lives is bounded, or comes back down.
            case "fixed-table": {
                List<Item> table = hold(new ArrayList<>());
                for (int i = 0; i < 3_000; i++) {
                    table.add(new Item(0, 32));
                }
                return tick -> { };
            }
            case "bounded-cache": {
                Map<Integer, Item> cache = hold(new LinkedHashMap<>(16, 0.75f, true) {
                    @Override
                    protected boolean removeEldestEntry(Map.Entry<Integer, Item> eldest) {
                        return size() > 1_000;
                    }
                });
                return tick -> {
                    for (int i = 0; i < 10; i++) {
                        cache.computeIfAbsent(random.nextInt(5_000), key -> new Item(tick, 64));
                    }
                };
            }
            case "expiring-sessions": {
                ArrayDeque<Item> open = hold(new ArrayDeque<>());
                return tick -> {
                    for (int i = random.nextInt(12); i > 0; i--) {
                        open.add(new Item(tick, 64));
                    }
                    while (!open.isEmpty() && open.peek().since < tick - 150) {
                        open.remove();
                    }
                };
            }
            case "bursty-queue": {
                ArrayDeque<Item> queue = hold(new ArrayDeque<>());
                return tick -> {
                    for (int i = random.nextInt(50) == 0 ? 400 : 4; i > 0; i--) {
                        queue.add(new Item(tick, 64));
                    }
                    for (int i = 14; i > 0 && !queue.isEmpty(); i--) {
                        queue.remove();
                    }
                };
            }
            case "cache-that-fills": {
                Map<Integer, Item> cache = hold(new HashMap<>());
                int keys = (int) ticks / 4;
                return tick -> {
                    if (tick % 2 == 0) {
                        cache.computeIfAbsent(random.nextInt(keys), key -> new Item(tick, 64));
                    }
                };
            }
            case "growing-pool": {
                List<Item> pool = hold(new ArrayList<>());
                return tick -> {
                    int wanted = (int) Math.min(600, 50 + random.nextInt(1 + (int) Math.min(tick * 4, 600)));
                    while (pool.size() < wanted) {
                        pool.add(new Item(tick, 256));
                    }
                };
            }
            case "waves": {
                ArrayDeque<Item> open = hold(new ArrayDeque<>());
                return tick -> {
                    double wanted = 600 + 500 * Math.sin(tick * 5 * Math.PI / ticks);
                    while (open.size() < wanted) {
                        open.add(new Item(tick, 64));
                    }
                    while (open.size() > wanted) {
                        open.remove();
                    }
                };
            }
            case "weak-cache": {
                Map<Integer, WeakReference<Item>> cache = hold(new HashMap<>());
                return tick -> {
                    for (int i = 0; i < 5; i++) {
                        cache.put(random.nextInt(500), new WeakReference<>(new Item(tick, 64)));
                    }
                };
            }
            case "batches": {
                List<Item> batch = hold(new ArrayList<>());
                return tick -> {
                    for (int i = 0; i < 5; i++) {
                        batch.add(new Item(tick, 64));
                    }
                    if (batch.size() > 2_000 + random.nextInt(200)) {
                        batch.clear();
                    }
                };
            }
            case "slow-turnover": {
                ArrayDeque<Item> kept = hold(new ArrayDeque<>());
                for (int i = 0; i < 3_000; i++) {
                    kept.add(new Item(0, 64));
                }
                return tick -> {
                    kept.remove();
                    kept.add(new Item(tick, 64));
                };
            }
            case "random-walk": {
                ArrayDeque<Item> open = hold(new ArrayDeque<>());
                for (int i = 0; i < 500; i++) {
                    open.add(new Item(0, 64));
                }
                return tick -> {
                    for (int i = 0; i < 10; i++) {
                        if (random.nextBoolean()) {
                            open.add(new Item(tick, 64));
                        } else if (!open.isEmpty()) {
                            open.remove();
                        }
                    }
                };
            }
            case "reloaded-table": {
                List<Item> table = hold(new ArrayList<>());
                return tick -> {
                    if (tick % 170 == 0) {
                        table.clear();
                        for (int i = 900 + random.nextInt(200); i > 0; i--) {
                            table.add(new Item(tick, 64));
                        }
                    }
                };
            }
            case "ring-of-buffers": {
                byte[][] ring = hold(new byte[64][]);
                return tick -> ring[(int) (tick % ring.length)] = new byte[1_000 + random.nextInt(3_000)];
            }
            case "text-that-is-flushed": {
                StringBuilder text = hold(new StringBuilder());
                return tick -> {
                    text.append("tick ").append(tick).append(" of a log that is written now and then\n");
                    if (text.length() > 20_000) {
                        text.setLength(0);
                    }
                };
            }
            // Leaks.
            case "leak-listeners": {
                List<Item> listeners = hold(new ArrayList<>());
                return tick -> {
                    for (int i = 0; i < 20; i++) {
                        Item listener = new Item(tick, 64);
                        listeners.add(listener);
                        if (random.nextInt(100) > 0) {
                            listeners.remove(listeners.size() - 1);
                        }
                    }
                };
            }
            case "leak-map": {
                Map<Long, Item> sessions = hold(new HashMap<>());
                return tick -> sessions.put(tick, new Item(tick, 64));
            }
            case "leak-slow": {
                List<Item> forgotten = hold(new ArrayList<>());
                return tick -> {
                    for (int i = 0; i < 200; i++) {
                        Item item = new Item(tick, 16);
                        if (random.nextInt(5_000) == 0) {
                            forgotten.add(item);
                        }
                    }
                };
            }
            case "leak-bytes": {
                List<byte[]> log = hold(new ArrayList<>());
                return tick -> log.add(new byte[100 + random.nextInt(400)]);
            }
            case "leak-chain": {
                Holder<Item[]> holder = new Holder<>(new Item[1]);
                kept = holder;
                return tick -> {
                    Item item = new Item(tick, 64);
                    item.next = holder.content[0];
                    holder.content[0] = item;
                };
            }
            case "leak-in-eviction": {
                ArrayDeque<Item> cache = hold(new ArrayDeque<>());
                List<Item> missed = new ArrayList<>();
                kept = Arrays.asList(kept, missed);
                return tick -> {
                    for (int i = 0; i < 10; i++) {
                        cache.add(new Item(tick, 64));
                    }
                    while (cache.size() > 500) {
                        Item evicted = cache.remove();
                        if (random.nextInt(20) == 0) {
                            missed.add(evicted);
                        }
                    }
                };
            }
            case "leak-in-bursts": {
                List<Item> forgotten = hold(new ArrayList<>());
                return tick -> {
                    if (random.nextInt(60) == 0) {
                        for (int i = 0; i < 100; i++) {
                            forgotten.add(new Item(tick, 64));
                        }
                    }
                };
            }
            case "leak-beside-waves": {
                LongConsumer waves = scenario("waves", random, ticks);
                List<Item> forgotten = new ArrayList<>();
                kept = Arrays.asList(kept, forgotten);
                return tick -> {
                    waves.accept(tick);
                    forgotten.add(new Item(tick, 64));
                };
            }
            default:
                throw new IllegalArgumentException(name);
        }
    }
}
