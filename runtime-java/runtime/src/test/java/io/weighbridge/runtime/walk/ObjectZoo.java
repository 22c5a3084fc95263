package io.weighbridge.runtime.walk;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Random object graphs out of ordinary classes, with sharing and cycles; the same seed gives the same graph. */
final class ObjectZoo {
    private final Random random;
    private final List<Object> pool = new ArrayList<>();

    ObjectZoo(long seed) {
        random = new Random(seed);
    }

    private record Pair(Object first, Object second, int number) {
    }

    private enum Kind {
        ONE, TWO, THREE
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

    private final class Inner {
        Object value = pick();
    }

    /** A graph of about {@code size} nodes; the result reaches all of them. */
    Object grow(int size) {
        Object[] all = new Object[size];
        for (int i = 0; i < size; i++) {
            all[i] = make();
            pool.add(all[i]);
        }
        return all;
    }

    private Object pick() {
        return pool.isEmpty() || random.nextInt(8) == 0 ? null : pool.get(random.nextInt(pool.size()));
    }

    private Object make() {
        switch (random.nextInt(24)) {
            case 0:
                return "text " + random.nextInt(1000);
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
                return new Pair(pick(), pick(), 1);
            case 9: {
                Object captured = pick();
                Supplier<Object> lambda = () -> captured;
                return lambda;
            }
            case 10:
                return new Object[random.nextInt(5)][random.nextInt(4)];
            case 11:
                return new long[random.nextInt(50)];
            case 12:
                return new byte[random.nextInt(50)];
            case 13:
                return new Wide();
            case 14: {
                Wide wide = new Wide();
                wide.reference = pick();
                wide.other = wide;
                return wide;
            }
            case 15:
                return new Inner();
            case 16:
                return Kind.values()[random.nextInt(3)].name();
            case 17:
                return BigInteger.valueOf(random.nextLong()).pow(3);
            case 18:
                return new BigDecimal(random.nextDouble());
            case 19:
                return LocalDateTime.of(2000 + random.nextInt(20), 1, 1, 1, 1).plusDays(random.nextInt(100));
            case 20:
                return Optional.of(new UUID(random.nextLong(), random.nextLong()));
            case 21:
                return new AtomicReference<>(pick());
            case 22:
                return BitSet.valueOf(new long[] {random.nextLong(), 1});
            default:
                return new CopyOnWriteArrayList<>(new Object[] {pick(), Instant.ofEpochSecond(random.nextInt()), pick(),
                        new PriorityQueue<>(List.of(random.nextInt(), random.nextInt()))});
        }
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
