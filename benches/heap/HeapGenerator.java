import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * Fills a heap with structures that are hard for analysers, and dumps it: maps of small objects, a long list, a deep tree
 * with parent pointers, a graph of shared cells, references of every strength, large arrays, and threads whose frames hold
 * and share objects. The same scale gives the same objects.
 *
 * <p>Usage: {@code HeapGenerator SCALE THREADS DUMP}. Scale 1 is about 8.6 million objects.
 */
public final class HeapGenerator {
    private static final class Order {
        final long id;
        final String customer;
        final List<Item> items = new ArrayList<>();
        final Map<String, String> attributes = new HashMap<>();
        final Order next;

        Order(long id, String customer, Order next) {
            this.id = id;
            this.customer = customer;
            this.next = next;
        }
    }

    private static final class Item {
        final int quantity;
        final double price;
        final String unit;
        final Order owner;

        Item(int quantity, double price, String unit, Order owner) {
            this.quantity = quantity;
            this.price = price;
            this.unit = unit;
            this.owner = owner;
        }
    }

    private static final class Tree {
        Tree left;
        Tree right;
        Tree parent;
        Object value;
    }

    private static final class Link {
        Link next;
        Link previous;
        Integer value;
    }

    /** A node of a graph with many paths to each node. */
    private static final class Cell {
        int number;
        Cell far;
        Cell near;
    }

    private static final Random RANDOM = new Random(42);
    private static final Map<Long, Order> ORDERS = new HashMap<>();
    private static final Map<String, Cell> CACHE = new ConcurrentHashMap<>();
    private static final Map<Object, Object> WEAK_KEYS = new WeakHashMap<>();
    private static final List<Object> REFERENCES = new ArrayList<>();
    private static final List<Object> HELD = new ArrayList<>();
    private static final CountDownLatch STOP = new CountDownLatch(1);
    private static Tree tree;
    private static Link list;
    private static Cell[] cells;
    private static Object shared;
    private static CountDownLatch ready;
    private static volatile Object sink;

    private HeapGenerator() {}

    public static void main(String[] arguments) throws Exception {
        double scale = Double.parseDouble(arguments[0]);
        int threads = Integer.parseInt(arguments[1]);
        orders((int) (300_000 * scale));
        int[] count = new int[1];
        tree = tree((int) Math.round(18 + Math.log(scale) / Math.log(2)), null, count);
        links((int) (1_000_000 * scale));
        cells((int) (1_000_000 * scale));
        references((int) (20_000 * scale));
        shared = new Object[] {new byte[2_000_000], new ArrayList<>(List.of("a", "b"))};
        byte[][] buffers = new byte[(int) (64 * scale)][];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = new byte[500_000];
        }
        HELD.add(buffers);
        ready = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            int number = i;
            Thread thread = new Thread(() -> outer(number), "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        ready.await();
        File dump = new File(arguments[2]);
        dump.delete();
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(dump.getPath(), true);
        System.out.println(dump.length());
        STOP.countDown();
    }

    private static void orders(int number) {
        Order previous = null;
        for (int i = 0; i < number; i++) {
            Order order = new Order(i, "customer-" + i % 5_000, previous);
            previous = order;
            int items = RANDOM.nextInt(6);
            for (int j = 0; j < items; j++) {
                order.items.add(new Item(j, RANDOM.nextDouble(), "unit-" + RANDOM.nextInt(10_000), order));
            }
            for (int j = 0; i % 8 == 0 && j < 3; j++) {
                order.attributes.put("attribute" + j, "v" + RANDOM.nextInt(100));
            }
            ORDERS.put((long) i, order);
        }
    }

    private static Tree tree(int depth, Tree parent, int[] count) {
        if (depth == 0) {
            return null;
        }
        Tree node = new Tree();
        node.parent = parent;
        node.value = ++count[0] % 4 == 0 ? "value-" + count[0] : null;
        node.left = tree(depth - 1, node, count);
        node.right = tree(depth - 1, node, count);
        return node;
    }

    private static void links(int number) {
        Link previous = null;
        for (int i = 0; i < number; i++) {
            Link link = new Link();
            link.value = i;
            link.previous = previous;
            if (previous == null) {
                list = link;
            } else {
                previous.next = link;
            }
            previous = link;
        }
    }

    private static void cells(int number) {
        Cell[] all = new Cell[number];
        for (int i = 0; i < number; i++) {
            all[i] = new Cell();
            all[i].number = i;
            if (i > 0) {
                all[i].far = all[RANDOM.nextInt(i)];
                all[i].near = all[Math.max(0, i - 1 - RANDOM.nextInt(Math.min(i, 1_000)))];
            }
        }
        cells = new Cell[number / 10];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = all[number - 1 - RANDOM.nextInt(number / 2)];
        }
        for (int i = 0; i < number / 20; i++) {
            CACHE.put("key-" + i, cells[RANDOM.nextInt(cells.length)]);
        }
    }

    private static void references(int number) {
        for (int i = 0; i < number; i++) {
            Object referent = new long[4];
            REFERENCES.add(new WeakReference<>(referent));
            if (i % 2 == 0) {
                HELD.add(referent);
            }
            REFERENCES.add(new SoftReference<>(new byte[64]));
        }
        for (int i = 0; i < 1_000; i++) {
            Object key = new Object();
            HELD.add(key);
            WEAK_KEYS.put(key, new int[8]);
        }
    }

    private static void outer(int number) {
        byte[] mine = new byte[100_000 + number];
        List<Object> own = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            own.add(new int[10]);
        }
        Object[] both = {own, "shared by frames of " + number};
        inner(number, both);
        sink = mine;
        sink = both;
    }

    private static void inner(int number, Object[] both) {
        long[] mine = new long[10_000 + number];
        Object ofAll = shared;
        ready.countDown();
        try {
            STOP.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        sink = mine;
        sink = ofAll;
        sink = both;
    }
}
