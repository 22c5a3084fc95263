package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.ObjectSizes;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.openjdk.jol.info.GraphLayout;

/**
 * Random object graphs, and their deep sizes by our walk against those by JOL.
 *
 * <p>Without what the two treat differently on purpose: classes, class loaders, threads and references (documented in
 * {@code Shapes}), and throwables, whose hidden backtrace JOL does not see.
 */
public final class Zoo {
    private static final int KINDS = 34;
    private final Random random;
    private final List<Object> pool = new ArrayList<>();

    private Zoo(long seed) {
        random = new Random(seed);
    }

    /** Arguments: a seed, the number of graphs. */
    public static void main(String[] arguments) throws Exception {
        long seed = Long.parseLong(arguments[0]);
        int graphs = Integer.parseInt(arguments[1]);
        Shapes shapes = new Shapes(ObjectSizes.get(), FieldAccess.get(), new ClassPatterns(), false, new ClassPatterns());
        long objects = 0;
        for (int i = 0; i < graphs; i++) {
            Object root = new Zoo(seed + i).grow(1 + i % 120);
            RootClassSets sets = new RootClassSets();
            Walk walk = new Walk(shapes, new WalkLimits(0, Long.MAX_VALUE), sets, OwnLabels.none(1), new int[0], Walk.table(i % 2 == 0));
            walk.from(new Object[] {root}, 1, 0, null);
            walk.run();
            Attribution held = new Attribution(walk.deep, sets, new int[] {0}, 1);
            GraphLayout jol = GraphLayout.parseInstance(root);
            if (jol.totalCount() != held.measuredObjects || jol.totalSize() != held.measuredBytes
                    || walk.closedObjects() != 0) {
                System.out.println("seed " + (seed + i) + ": JOL " + jol.totalCount() + " objects, " + jol.totalSize()
                        + " bytes; the walk " + held.measuredObjects + ", " + held.measuredBytes);
                System.out.println(jol.toFootprint());
                System.exit(1);
            }
            objects += held.measuredObjects;
        }
        System.out.println("agreed " + graphs + " " + objects + " " + Walk.table(false).getClass().getSimpleName()
                + " " + FieldAccess.get().kind);
    }

    private Object grow(int size) throws Exception {
        Object[] all = new Object[size];
        for (int i = 0; i < size; i++) {
            all[i] = make(random.nextInt(KINDS));
            pool.add(all[i]);
        }
        return all;
    }

    private Object pick() {
        return pool.isEmpty() || random.nextInt(8) == 0 ? null : pool.get(random.nextInt(pool.size()));
    }

    private enum Kind {
        ONE, TWO {
            final Object own = new int[3];
        };

        Object set;
    }

    private static class Narrow {
        byte b;
        Object reference;
        long l;
    }

    private static class Wide extends Narrow {
        short s;
        boolean flag;
        Object other;
        double d;
        char c;
    }

    private static final class Generic<T> {
        final T[] values;
        final List<T>[] lists;

        @SuppressWarnings("unchecked")
        Generic(T value) {
            values = (T[]) new Object[] {value, null, value};
            lists = (List<T>[]) new List<?>[] {new ArrayList<>(Collections.singletonList(value)), null};
        }
    }

    private final class Inner {
        final Object value = pick();

        final class Innermost {
            final float f = 1;
        }
    }

    private static final class Link {
        final Link next;

        Link(Link next) {
            this.next = next;
        }
    }

    /** Also defined as a hidden class. */
    static final class Hidden implements Supplier<Object> {
        private Object value;
        private final short small = 7;

        @Override
        public Object get() {
            Object before = value;
            value = new long[small];
            return before;
        }
    }

    private Object make(int kind) throws Exception {
        switch (kind) {
            case 0:
                return "text " + random.nextInt(1000) + (random.nextBoolean() ? "" : " \u0416");
            case 1:
                return fill(new ArrayList<>());
            case 2:
                return fill(new LinkedList<>());
            case 3:
                return fill(new ArrayDeque<>());
            case 4:
                return fill(new HashMap<>());
            case 5:
                return fill(new LinkedHashMap<>());
            case 6:
                return fill(new TreeMap<>());
            case 7:
                return fill(new ConcurrentHashMap<>());
            case 8:
                return fill(new ConcurrentSkipListMap<>());
            case 9:
                return fill(new IdentityHashMap<>());
            case 10: {
                Object captured = pick();
                Supplier<Object> lambda = () -> captured;
                return lambda;
            }
            case 11:
                return primitives();
            case 12:
                return new Object[random.nextInt(5)][random.nextInt(4)][];
            case 13:
                return cyclicArray();
            case 14: {
                Wide wide = new Wide();
                wide.reference = pick();
                wide.other = wide;
                return wide;
            }
            case 15:
                return new Inner().new Innermost();
            case 16: {
                Kind constant = Kind.values()[random.nextInt(2)];
                constant.set = random.nextBoolean() ? null : new byte[random.nextInt(9)];
                return constant;
            }
            case 17:
                return new Generic<>(pick());
            case 18:
                return chain(random.nextInt(5_000));
            case 19:
                return boxed();
            case 20:
                return BigInteger.valueOf(random.nextLong()).pow(3);
            case 21:
                return new BigDecimal(random.nextDouble());
            case 22:
                return LocalDateTime.of(2000 + random.nextInt(20), 1, 1, 1, 1).plusDays(random.nextInt(100));
            case 23:
                return Optional.of(new UUID(random.nextLong(), random.nextLong()));
            case 24:
                return new AtomicReference<>(pick());
            case 25:
                return BitSet.valueOf(new long[] {random.nextLong(), 1});
            case 26:
                return new CopyOnWriteArrayList<>(new Object[] {pick(), pick()});
            case 27:
                return new PriorityQueue<>(Arrays.asList(random.nextInt(), random.nextInt()));
            case 28:
                return new ArrayBlockingQueue<>(1 + random.nextInt(9));
            case 29:
                return Collections.unmodifiableCollection(new LinkedHashSet<>(Arrays.asList(pick(), new StringBuilder("x"))));
            case 30:
                return ByteBuffer.allocate(random.nextInt(64)).slice();
            case 31:
                return record();
            case 32:
                return hidden();
            default: {
                Object local = pick();
                return new Object() {
                    final Object[] mine = {local, this};
                };
            }
        }
    }

    private Object primitives() {
        Class<?>[] kinds = {boolean.class, byte.class, char.class, short.class, int.class, float.class, long.class, double.class};
        return Array.newInstance(kinds[random.nextInt(kinds.length)], random.nextInt(50));
    }

    private Object cyclicArray() {
        Object[] array = new Object[2 + random.nextInt(6)];
        array[0] = array;
        array[1] = new Object[] {array, pick(), new int[2][3]};
        return array;
    }

    private static Object chain(int length) {
        Link link = null;
        for (int i = 0; i < length; i++) {
            link = new Link(link);
        }
        return link == null ? new Object() : link;
    }

    private Object boxed() {
        return Arrays.asList(random.nextInt(), random.nextLong(), (short) random.nextInt(), (byte) random.nextInt(),
                (char) random.nextInt(), random.nextFloat(), random.nextDouble(), random.nextBoolean());
    }

    /** A record where the class path has one (compiled for JDK 17). */
    private Object record() throws Exception {
        if (Runtime.version().feature() < 17) {
            return new Object();
        }
        Constructor<?> constructor = Class.forName("records.Pair").getConstructor(Object.class, Object.class, int.class);
        return constructor.newInstance(pick(), pick(), random.nextInt());
    }

    private Object hidden() throws Exception {
        Supplier<?> made;
        if (Runtime.version().feature() < 15) {
            made = new Hidden();
        } else {
            byte[] bytes;
            try (InputStream in = Zoo.class.getResourceAsStream("Zoo$Hidden.class")) {
                bytes = in.readAllBytes();
            }
            Class<?> option = Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
            Object none = Array.newInstance(option, 0);
            Method define = MethodHandles.Lookup.class.getMethod("defineHiddenClass", byte[].class, boolean.class, none.getClass());
            MethodHandles.Lookup lookup = (MethodHandles.Lookup) define.invoke(MethodHandles.lookup(), bytes, true, none);
            Constructor<?> constructor = lookup.lookupClass().getDeclaredConstructor();
            made = (Supplier<?>) constructor.newInstance();
        }
        made.get();
        return made;
    }

    private Object fill(Collection<Object> into) {
        for (int i = random.nextInt(12); i >= 0; i--) {
            Object o = pick();
            into.add(o == null ? i : o);
        }
        return into;
    }

    private Object fill(Map<Object, Object> into) {
        for (int i = random.nextInt(20); i >= 0; i--) {
            Object o = pick();
            into.put(random.nextInt(100), o == null ? i : o);
        }
        return into;
    }
}
