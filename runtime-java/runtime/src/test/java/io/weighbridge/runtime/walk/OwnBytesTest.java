package io.weighbridge.runtime.walk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.Measuring;
import io.weighbridge.runtime.Seed;
import io.weighbridge.runtime.TestJar;
import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.Tags;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class OwnBytesTest {
    /** Of no component, not instrumented. */
    static class Plain {
        Object first;
        Object second;
    }

    static final class Manager extends Plain {
    }

    static final class Session extends Plain {
    }

    /** Instrumented, of no component. */
    static final class Loose extends Plain {
    }

    /** Of the component web by its name alone. */
    static final class Page extends Plain {
    }

    static final class Container extends Plain {
    }

    private static final List<Class<?>> TRACKED = List.of(Manager.class, Session.class, Loose.class);
    private static final List<String> COMPONENTS = List.of("web", "session", OwnLabels.NO_COMPONENT);
    /** By root class. */
    private static final int[] COMPONENT_OF = {0, 1, 2};

    private final TestJar jar = new TestJar().component("web").component("session")
            .owns("web", Page.class.getName()).type(Manager.class, "live", "web", "")
            .type(Session.class, "live", "session", "").live(Loose.class).link();
    private final Shapes shapes = new Shapes(ObjectSizes.get(), FieldAccess.get(), new ClassPatterns(), false,
            new ClassPatterns(Container.class.getName()));

    private int[] rootClassOf() {
        int[] rootClasses = new int[ClassTable.size()];
        Arrays.fill(rootClasses, -1);
        for (int rootClass = 0; rootClass < TRACKED.size(); rootClass++) {
            rootClasses[jar.base + rootClass] = rootClass;
        }
        return rootClasses;
    }

    private Walked walk(Object[]... roots) {
        return Walked.from(shapes, rootClassOf(), COMPONENT_OF, COMPONENTS, roots);
    }

    private long bytes(Object... objects) {
        long sum = 0;
        for (Object o : objects) {
            sum += shapes.bytes(o, shapes.get(o.getClass()));
        }
        return sum;
    }

    private Session session(Manager manager, int size) {
        Session session = new Session();
        session.first = manager;
        session.second = new byte[size];
        return session;
    }

    @Test
    void sessionsThatMultiplyGrowThoughTheirManagerReachesThemAndTheyReachIt() {
        long before = 0;
        for (int number : new int[] {10, 100, 1000}) {
            Manager manager = new Manager();
            Session[] sessions = new Session[number];
            for (int i = 0; i < number; i++) {
                sessions[i] = session(manager, 100);
            }
            manager.first = new ArrayList<Object>(Arrays.asList(sessions));
            Walked walked = walk(new Object[] {manager}, sessions, new Object[0]);
            long each = bytes(sessions[0], sessions[0].second);
            assertEquals(number * each, walked.own.components[1]);
            assertEquals(number * each, walked.own.classes[1]);
            assertEquals(0, walked.held.componentExclusive[1], "all of it is reached from the manager, too");
            assertEquals(walked.held.measuredBytes, walked.own.components[0] + walked.own.components[1]);
            assertTrue(walked.own.components[1] > before);
            before = walked.own.components[1];
        }
    }

    @Test
    void anObjectOfAnotherComponentStopsTheWalkAlthoughItIsNotInTheSample() {
        Manager manager = new Manager();
        Session tracked = session(manager, 100);
        Session untracked = session(manager, 5000);
        manager.first = new Object[] {tracked, untracked};
        Walked walked = walk(new Object[] {manager}, new Object[] {tracked}, new Object[0]);
        assertEquals(bytes(manager, manager.first), walked.own.components[0]);
        assertEquals(bytes(tracked, tracked.second, untracked, untracked.second), walked.own.components[1]);
    }

    @Test
    void whatTwoComponentsHoldIsOwnOfNeitherAndSharedOfBoth() {
        Manager manager = new Manager();
        Session session = session(manager, 100);
        Object shared = new byte[3000];
        session.second = shared;
        manager.first = shared;
        Walked walked = walk(new Object[] {manager}, new Object[] {session}, new Object[0]);
        assertEquals(bytes(manager), walked.own.components[0]);
        assertEquals(bytes(session), walked.own.components[1]);
        assertEquals(bytes(shared), walked.own.sharedOfComponents[0]);
        assertEquals(bytes(shared), walked.own.sharedOfComponents[1]);
        assertEquals(bytes(shared), walked.own.sharedOfClasses[1]);
    }

    @Test
    void objectsOfNoComponentBelongToTheComponentThatHoldsThem() {
        Manager manager = new Manager();
        Loose held = new Loose();
        held.first = new byte[1000];
        Loose free = new Loose();
        manager.first = held;
        Walked walked = walk(new Object[] {manager}, new Object[0], new Object[] {held, free});
        assertEquals(bytes(manager, held, held.first), walked.own.components[0]);
        assertEquals(bytes(free), walked.own.components[2]);
        assertEquals(bytes(manager), walked.own.classes[0], "a class stops at objects of any other");
        assertEquals(bytes(held, held.first, free), walked.own.classes[2]);
    }

    @Test
    void ownBytesStopAtHubsAndAtClassesThatAComponentOwnsByName() {
        Manager manager = new Manager();
        Container container = new Container();
        container.first = new byte[7000];
        manager.first = container;
        Session session = session(manager, 100);
        Page page = new Page();
        page.first = new byte[500];
        session.first = page;
        Walked walked = walk(new Object[] {manager}, new Object[] {session}, new Object[0]);
        assertEquals(bytes(manager, page, page.first), walked.own.components[0]);
        assertEquals(bytes(session, session.second), walked.own.components[1]);
        assertEquals(bytes(session, session.second, page, page.first), walked.own.classes[1], "no class has it");
        assertEquals(bytes(manager, container, container.first), walked.held.deepBytes[0], "deep bytes pass hubs");
    }

    @Test
    void objectsThatWereNotMetAreTakenToHoldAsMuchAsThoseThatWere() {
        Session[] tracked = new Session[10];
        Arrays.setAll(tracked, i -> session(null, 100));
        Walked walked = walk(new Object[0], tracked, new Object[0]);
        long all = walked.own.classes[1];
        walked.own.scale(1, 1, 10, 40);
        assertEquals(all * 4, walked.own.classes[1]);
        assertEquals(all * 4, walked.own.components[1]);
        walked.own.scale(0, 0, 0, 5);
        assertEquals(0, walked.own.classes[0], "none met");
    }

    @Test
    void objectsThatWereReplacedWhileTheWalkRanDoNotCountBesideThoseThatReplacedThem() {
        Manager manager = new Manager();
        Session[] met = new Session[10];
        Arrays.setAll(met, i -> session(null, 100));
        Walked walked = walk(new Object[] {manager}, met, new Object[0]);
        long all = walked.own.classes[1];
        walked.own.scale(1, 1, 10, 2);
        assertEquals(all / 5, walked.own.classes[1]);
        assertEquals(all / 5, walked.own.components[1], "the component loses the same bytes");
        assertEquals(bytes(manager), walked.own.classes[0], "no other class does");
        walked.own.scale(1, 1, 2, 2);
        assertEquals(all / 5, walked.own.classes[1], "as many as live");
    }

    @Test
    void aComponentDoesNotLoseMoreThanItHas() {
        Session session = session(null, 100);
        Page page = new Page();
        page.first = new byte[5000];
        session.first = page;
        Walked walked = walk(new Object[0], new Object[] {session}, new Object[0]);
        assertTrue(walked.own.components[1] < walked.own.classes[1] / 2, "the page belongs to another component");
        walked.own.scale(1, 1, 2, 1);
        assertEquals(bytes(session, session.second, page, page.first) / 2, walked.own.classes[1]);
        assertEquals(0, walked.own.components[1]);
    }

    @Test
    void tagsHoldWhatTheirObjectsHoldAndStopAtObjectsOfOthers() {
        long outside = Measuring.enter("own-request", "a");
        int a = Tags.current();
        Measuring.restore(outside);
        Measuring.enter("own-request", "b");
        int b = Tags.current();
        Measuring.restore(outside);
        Session first = session(null, 100);
        Session second = session(null, 2000);
        Session untagged = session(null, 30_000);
        first.first = second;
        second.first = untagged;
        OwnLabels labels = new OwnLabels(rootClassOf(), COMPONENT_OF, COMPONENTS, 2);
        Walk walk = new Walk(shapes, new WalkLimits(0, Long.MAX_VALUE), new RootClassSets(), labels, rootClassOf(), Walk.table(false));
        walk.from(new Object[] {first, second, untagged}, 1, 1, new int[] {0, 1, -1});
        walk.run();
        OwnBytes own = new OwnBytes(walk.own, labels, 3, COMPONENTS, new int[] {a, b});
        assertEquals(bytes(first, first.second), own.tags.get(List.of("own-request", "a")));
        assertEquals(bytes(second, second.second), own.tags.get(List.of("own-request", "b")));
        assertEquals(bytes(first, first.second, second, second.second, untagged, untagged.second), own.classes[1]);
    }

    /** Against brute force, one flood for each class and component. */
    @Test
    void ownBytesOfClassesAndComponentsEqualFloodsOnRandomGraphs() {
        long seed = Seed.get();
        System.out.println("OwnBytesTest seed " + seed);
        for (int trial = 0; trial < 200; trial++) {
            Random random = new Random(seed + trial);
            List<Object> nodes = graph(random, 2 + random.nextInt(150));
            Object[][] roots = new Object[TRACKED.size()][];
            for (int rootClass = 0; rootClass < roots.length; rootClass++) {
                Class<?> type = TRACKED.get(rootClass);
                roots[rootClass] = nodes.stream().filter(o -> o.getClass() == type && random.nextInt(3) == 0).toArray();
            }
            Walked walked = walk(roots);
            check(reached(roots), walked.own, "seed " + (seed + trial));
            checkDeep(reached(roots), roots, walked, "seed " + (seed + trial));
        }
    }

    /** A class reaches what any of its objects reaches that was met, tracked or not. */
    private void checkDeep(Set<Object> all, Object[][] roots, Walked walked, String seed) {
        for (int rootClass = 0; rootClass < TRACKED.size(); rootClass++) {
            Class<?> type = TRACKED.get(rootClass);
            List<Object> met = new ArrayList<>();
            all.forEach(o -> met.addAll(o.getClass() == type ? List.of(o) : List.of()));
            assertEquals(met.size() - roots[rootClass].length, walked.walk.untracked[rootClass], seed);
            assertEquals(bytes(flood(met, o -> true).toArray()), walked.held.deepBytes[rootClass], seed);
        }
    }

    private static List<Object> graph(Random random, int size) {
        List<Object> nodes = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            switch (random.nextInt(9)) {
                case 0: nodes.add(new Manager()); break;
                case 1: nodes.add(new Session()); break;
                case 2: nodes.add(new Loose()); break;
                case 3: nodes.add(new Page()); break;
                case 4: nodes.add(random.nextInt(4) == 0 ? new Container() : new Plain()); break;
                case 5: nodes.add(new Object[random.nextInt(5)]); break;
                default: nodes.add(new Plain()); break;
            }
        }
        for (Object node : nodes) {
            if (node instanceof Plain) {
                ((Plain) node).first = nodes.get(random.nextInt(size));
                ((Plain) node).second = random.nextBoolean() ? nodes.get(random.nextInt(size)) : new byte[random.nextInt(99)];
            } else {
                Object[] array = (Object[]) node;
                for (int i = 0; i < array.length; i++) {
                    array[i] = nodes.get(random.nextInt(size));
                }
            }
        }
        return nodes;
    }

    private static List<Object> references(Object o) {
        List<Object> all = new ArrayList<>();
        if (o instanceof Plain) {
            all.add(((Plain) o).first);
            all.add(((Plain) o).second);
        } else if (o instanceof Object[]) {
            all.addAll(Arrays.asList((Object[]) o));
        }
        all.removeAll(Collections.singleton(null));
        return all;
    }

    private static Set<Object> reached(Object[][] roots) {
        List<Object> all = new ArrayList<>();
        for (Object[] some : roots) {
            all.addAll(Arrays.asList(some));
        }
        return flood(all, o -> true);
    }

    private static Set<Object> flood(List<Object> from, java.util.function.Predicate<Object> enters) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        seen.addAll(from);
        ArrayDeque<Object> open = new ArrayDeque<>(from);
        while (!open.isEmpty()) {
            for (Object next : references(open.poll())) {
                if (enters.test(next) && seen.add(next)) {
                    open.add(next);
                }
            }
        }
        return seen;
    }

    private static int componentOf(Object o) {
        return o instanceof Manager || o instanceof Page ? 0 : o instanceof Session ? 1 : o instanceof Loose ? 2 : -1;
    }

    private void check(Set<Object> all, OwnBytes own, String seed) {
        Map<Object, List<Integer>> classes = new IdentityHashMap<>();
        Map<Object, List<Integer>> components = new IdentityHashMap<>();
        for (int rootClass = 0; rootClass < TRACKED.size(); rootClass++) {
            Class<?> type = TRACKED.get(rootClass);
            List<Object> from = new ArrayList<>();
            all.forEach(o -> from.addAll(o.getClass() == type ? List.of(o) : List.of()));
            for (Object o : flood(from, o -> !TRACKED.contains(o.getClass()) && !(o instanceof Container))) {
                classes.computeIfAbsent(o, x -> new ArrayList<>()).add(rootClass);
            }
        }
        for (int c = 0; c < COMPONENTS.size(); c++) {
            int component = c;
            List<Object> from = new ArrayList<>();
            all.forEach(o -> from.addAll(componentOf(o) == component ? List.of(o) : List.of()));
            for (Object o : flood(from, o -> (componentOf(o) < 0 || o instanceof Loose) && !(o instanceof Container))) {
                components.computeIfAbsent(o, x -> new ArrayList<>()).add(component);
            }
        }
        components.values().forEach(held -> {
            if (held.size() > 1) {
                held.remove((Integer) 2);
            }
        });
        sums(classes, own.classes, own.sharedOfClasses, seed);
        sums(components, own.components, own.sharedOfComponents, seed);
    }

    private void sums(Map<Object, List<Integer>> holders, long[] own, long[] shared, String seed) {
        long[] expectedOwn = new long[own.length];
        long[] expectedShared = new long[own.length];
        holders.forEach((o, held) -> {
            for (int holder : held) {
                (held.size() == 1 ? expectedOwn : expectedShared)[holder] += bytes(o);
            }
        });
        assertEquals(Arrays.toString(expectedOwn), Arrays.toString(own), seed);
        assertEquals(Arrays.toString(expectedShared), Arrays.toString(shared), seed);
    }
}
