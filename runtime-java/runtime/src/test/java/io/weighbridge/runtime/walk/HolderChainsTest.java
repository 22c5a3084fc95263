package io.weighbridge.runtime.walk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.weighbridge.runtime.TestJar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class HolderChainsTest {
    private static final String HERE = HolderChainsTest.class.getName();

    private static final class Cache {
        final Map<Object, Object> map = new HashMap<>();
        final TreeMap<Integer, Object> sorted = new TreeMap<>();
        final LinkedList<Object> queue = new LinkedList<>();
    }

    private static final class Order {
        Order previous;
        Object part;
    }

    private static final class Shop {
        Cache cache;
    }

    static Stream<ObjectTable> tables() {
        return Stream.of(new HashedObjects(true), new GranuleTable(true));
    }

    private static Order[] orders(int number) {
        Order[] orders = new Order[number];
        for (int i = 0; i < number; i++) {
            orders[i] = new Order();
        }
        return orders;
    }

    /** What holds the objects of the last root class. */
    private static HolderChains chains(ObjectTable table, Object[]... roots) {
        Shapes shapes = Walked.shapes();
        Walk walk = new Walk(shapes, new WalkLimits(0, Long.MAX_VALUE), new RootClassSets(), OwnLabels.none(roots.length),
                new int[0], table);
        int last = 0;
        for (int rootClass = 0; rootClass < roots.length; rootClass++) {
            last = table.size();
            walk.from(roots[rootClass], 1, rootClass, null);
        }
        int end = table.size();
        walk.run();
        return HolderChains.of(walk, shapes, last, end);
    }

    private static void assertChain(int objects, List<String> steps, HolderChains.Chain chain) {
        assertEquals(steps, chain.steps);
        assertEquals(objects, chain.objects);
    }

    @ParameterizedTest
    @MethodSource("tables")
    void eachObjectCountsOnceWithTheChainFromItsHolder(ObjectTable table) {
        Cache cache = new Cache();
        Order[] orders = orders(600);
        for (int i = 0; i < 300; i++) {
            cache.map.put(i, orders[i]);
        }
        for (int i = 300; i < 500; i++) {
            cache.sorted.put(i, orders[i]);
        }
        HolderChains told = chains(table, new Object[] {cache}, orders);
        assertEquals(600, told.examined);
        assertEquals(100, told.outside, "in no collection");
        assertEquals(0, told.others);
        assertEquals(2, told.chains.size());
        assertChain(300, List.of(HERE + "$Cache.map", "java.util.HashMap.table", "java.util.HashMap$Node[]",
                "java.util.HashMap$Node.value"), told.chains.get(0));
        assertChain(200, List.of(HERE + "$Cache.sorted", "java.util.TreeMap.root", "java.util.TreeMap$Entry.value"),
                told.chains.get(1));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void aListOfAnyLengthIsOneStep(ObjectTable table) {
        Cache cache = new Cache();
        Order[] orders = orders(900);
        for (int i = 0; i < 50_000; i++) {
            cache.queue.add(i % 50 == 0 && i / 50 < 900 ? orders[i / 50] : null);
        }
        HolderChains told = chains(table, new Object[] {cache}, orders);
        assertEquals(0, told.outside);
        assertChain(900, List.of(HERE + "$Cache.queue", "java.util.LinkedList.first", "java.util.LinkedList$Node.item"),
                told.chains.get(0));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void anObjectThatOnlyItsOwnPartsReferToIsHeldFromOutside(ObjectTable table) {
        Order[] orders = orders(10);
        for (Order order : orders) {
            order.part = new Object[] {new Object[] {order}};
        }
        HolderChains told = chains(table, (Object[]) orders);
        assertEquals(10, told.outside);
        assertEquals(0, told.chains.size());
    }

    @ParameterizedTest
    @MethodSource("tables")
    void aHolderOfAnotherClassIsToldRatherThanOneOfItsOwn(ObjectTable table) {
        Cache cache = new Cache();
        Order[] orders = orders(100);
        for (int i = 0; i < orders.length; i++) {
            orders[i].previous = orders[(i + 1) % orders.length];
        }
        for (int i = 0; i < 60; i++) {
            cache.map.put(i, orders[i]);
        }
        HolderChains told = chains(table, orders, new Object[] {cache});
        assertEquals(1, told.outside, "the cache");
        told = chains(table instanceof HashedObjects ? new HashedObjects(true) : new GranuleTable(true),
                new Object[] {cache}, orders);
        assertEquals(0, told.outside);
        assertEquals(60, told.chains.get(0).objects);
        assertEquals("java.util.HashMap$Node.value", told.chains.get(0).steps.get(3));
        assertChain(40, List.of(HERE + "$Order.previous"), told.chains.get(1));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void theChainBeginsAtTheNearestRegisteredObjectTrackedOrNot(ObjectTable table) {
        new TestJar().live(Cache.class).link();
        Shop shop = new Shop();
        shop.cache = new Cache();
        Order[] orders = orders(5);
        for (Order order : orders) {
            shop.cache.map.put(order, 1);
        }
        HolderChains told = chains(table, new Object[] {shop}, orders);
        assertChain(5, List.of(HERE + "$Cache.map", "java.util.HashMap.table", "java.util.HashMap$Node[]",
                "java.util.HashMap$Node.key"), told.chains.get(0));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void fewChainsAreToldAndTheRestIsCounted(ObjectTable table) {
        List<Object> holders = new ArrayList<>();
        Order[] orders = orders(5_000);
        for (int i = 0; i < orders.length; i++) {
            Object held = orders[i];
            for (int depth = 0; depth <= i % 8; depth++) {
                held = depth % 2 == 0 ? new Object[] {held} : List.of(held);
            }
            holders.add(held);
        }
        HolderChains told = chains(table, new Object[] {holders}, orders);
        assertEquals(HolderChains.OBJECTS, told.examined);
        assertEquals(HolderChains.CHAINS, told.chains.size());
        int counted = told.others + told.outside;
        for (HolderChains.Chain chain : told.chains) {
            counted += chain.objects;
        }
        assertEquals(told.examined, counted);
    }
}
