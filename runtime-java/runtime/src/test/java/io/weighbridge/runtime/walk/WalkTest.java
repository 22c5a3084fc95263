package io.weighbridge.runtime.walk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.Seed;
import io.weighbridge.runtime.TestJar;
import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.jvm.VmFlags;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.GraphLayout;

final class WalkTest {
    @Test
    void deepSizesEqualThoseOfJolOnRandomGraphs() {
        long seed = Seed.get();
        System.out.println("WalkTest seed " + seed);
        Shapes shapes = Walked.shapes();
        for (int i = 0; i < 200; i++) {
            Object root = new ObjectZoo(seed + i).grow(1 + i);
            GraphLayout jol = GraphLayout.parseInstance(root);
            Walked walked = Walked.from(shapes, new Object[] {root});
            assertEquals(jol.totalCount(), walked.held.measuredObjects, "objects, seed " + (seed + i));
            assertEquals(jol.totalSize(), walked.held.measuredBytes, "bytes, seed " + (seed + i));
        }
    }

    /** Against brute force: an object belongs to exactly the root classes that reach it. */
    @Test
    void figuresOfRootClassesAndComponentsAddUpOnRandomGraphs() {
        long seed = Seed.get();
        System.out.println("WalkTest seed " + seed);
        Shapes shapes = Walked.shapes();
        for (int trial = 0; trial < 60; trial++) {
            Random random = new Random(seed + trial);
            Object[] nodes = (Object[]) new ObjectZoo(seed + trial).grow(200);
            int rootClasses = 1 + random.nextInt(90);
            int components = 1 + random.nextInt(5);
            Object[][] roots = new Object[rootClasses][];
            int[] componentOf = new int[rootClasses];
            for (int rootClass = 0; rootClass < rootClasses; rootClass++) {
                componentOf[rootClass] = random.nextInt(components);
                roots[rootClass] = new Object[1 + random.nextInt(4)];
                for (int i = 0; i < roots[rootClass].length; i++) {
                    roots[rootClass][i] = nodes[random.nextInt(nodes.length)];
                }
            }
            Walked walked = Walked.from(shapes, new int[0], componentOf, components, roots);
            checkAgainstBruteForce(shapes, roots, componentOf, components, walked.held, "seed " + (seed + trial));
        }
    }

    private static void checkAgainstBruteForce(Shapes shapes, Object[][] roots, int[] componentOf, int components,
            Attribution held, String seed) {
        List<Set<Object>> reached = new ArrayList<>();
        for (Object[] own : roots) {
            reached.add(Walked.reachable(shapes, own));
            reached.get(reached.size() - 1).remove(own); // the array that holds the roots is not one of them
        }
        Set<Object> all = Collections.newSetFromMap(new IdentityHashMap<>());
        reached.forEach(all::addAll);
        long[] exclusive = new long[roots.length];
        long[] deep = new long[roots.length];
        long[] componentExclusive = new long[components];
        long[] componentDeep = new long[components];
        long bytes = 0;
        for (Object o : all) {
            long size = shapes.bytes(o, shapes.get(o.getClass()));
            bytes += size;
            int number = 0;
            int last = -1;
            Set<Integer> of = new TreeSet<>();
            for (int rootClass = 0; rootClass < roots.length; rootClass++) {
                if (reached.get(rootClass).contains(o)) {
                    deep[rootClass] += size;
                    number++;
                    last = rootClass;
                    of.add(componentOf[rootClass]);
                }
            }
            if (number == 1) {
                exclusive[last] += size;
            }
            for (int c : of) {
                componentDeep[c] += size;
                componentExclusive[c] += of.size() == 1 ? size : 0;
            }
        }
        assertEquals(bytes, held.measuredBytes, seed);
        assertEquals(all.size(), held.measuredObjects, seed);
        long sumExclusive = 0;
        long sumEven = 0;
        for (int c = 0; c < components; c++) {
            assertEquals(componentDeep[c], held.componentDeep[c], seed);
            assertEquals(componentExclusive[c], held.componentExclusive[c], seed);
            sumExclusive += held.componentExclusive[c];
            sumEven += held.componentEven[c];
        }
        for (int rootClass = 0; rootClass < roots.length; rootClass++) {
            assertEquals(deep[rootClass], held.deepBytes[rootClass], seed);
            assertEquals(exclusive[rootClass], held.exclusiveBytes[rootClass], seed);
        }
        assertEquals(held.measuredBytes, sumExclusive + held.sharedOnce, seed);
        assertEquals(held.measuredBytes, sumExclusive + sumEven, seed);
    }

    private static final class Node {
        Node next;
        Object value;
    }

    @Test
    void aListOfMillionsNeedsNoStack() {
        Node head = null;
        for (int i = 0; i < 3_000_000; i++) {
            Node node = new Node();
            node.next = head;
            head = node;
        }
        Walked walked = Walked.from(Walked.shapes(), new Object[] {head}, new Object[] {head.next});
        assertEquals(3_000_000, walked.held.measuredObjects);
        assertEquals(1, walked.held.exclusiveBytes[0] / 24);
        assertEquals(0, walked.held.exclusiveBytes[1]);
        // Twice each; what a collection has moved meanwhile may be read once more.
        assertTrue(walked.walk.reads() < 7_000_000, "reads: " + walked.walk.reads());
    }

    @Test
    void rootClassesThatMeetAtAnObjectPassItTogether() {
        Node head = null;
        for (int i = 0; i < 10_000; i++) {
            Node node = new Node();
            node.next = head;
            head = node;
        }
        Object[][] roots = new Object[300][];
        for (int rootClass = 0; rootClass < roots.length; rootClass++) {
            Node own = new Node();
            own.next = head;
            roots[rootClass] = new Object[] {own};
        }
        Walked walked = Walked.from(Walked.shapes(), roots);
        assertEquals(10_300, walked.held.measuredObjects);
        assertTrue(walked.walk.reads() < 40_000, "reads: " + walked.walk.reads());
    }

    @Test
    void aHugeArrayIsReadInPieces() {
        Object[] array = new Object[2_000_000];
        for (int i = 0; i < array.length; i++) {
            array[i] = new Node();
        }
        ((Node) array[1_999_999]).value = array;
        Walked walked = Walked.from(Walked.shapes(), new Object[] {array}, new Object[] {array[7]});
        assertEquals(2_000_001, walked.held.measuredObjects);
        assertEquals(24, walked.held.deepBytes[1]);
    }

    /** The bit set of read objects once grew only with objects that have references. */
    @Test
    void aMillionLeavesMayComeBeforeTheNextObjectWithReferences() {
        Object[] array = new Object[1_000_001];
        for (int i = 0; i < 1_000_000; i++) {
            array[i] = new int[0];
        }
        Node last = new Node();
        last.value = new byte[1];
        array[1_000_000] = last;
        Walked walked = Walked.from(Walked.shapes(), new Object[] {array}, new Object[] {last});
        assertEquals(1_000_003, walked.held.measuredObjects);
        assertEquals(2, walked.held.deepObjects[1]);
    }

    @Test
    void referencesHoldNothingButSoftOnesIfAskedFor() {
        byte[] target = new byte[1000];
        Object[] roots = {new WeakReference<>(target), new SoftReference<>(target),
            new PhantomReference<>(target, new ReferenceQueue<>())};
        assertEquals(3, Walked.from(Walked.shapes(), roots).held.measuredObjects);
        Shapes soft = new Shapes(ObjectSizes.get(), FieldAccess.get(), new ClassPatterns(), true, new ClassPatterns());
        assertEquals(4, Walked.from(soft, roots).held.measuredObjects);
    }

    private static final class Holder extends ClassLoader {
        Object own = new int[10];
    }

    @Test
    void classesLoadersAndThreadsAreNotEntered() {
        Object[] roots = {String.class, new Holder(), Thread.currentThread(), new Object[] {Integer.class}};
        Walked walked = Walked.from(Walked.shapes(), roots);
        assertEquals(4, walked.held.measuredObjects, "the loader, its own array, the thread, the array");
    }

    @Test
    void anExcludedClassIsNeitherCountedNorEntered() {
        Node node = new Node();
        node.value = new ArrayList<>(List.of(new Node()));
        assertEquals(1, Walked.from(Walked.shapes("java.util.*"), new Object[] {node}).held.measuredObjects);
        assertEquals(1, Walked.from(Walked.shapes("java.util.List"), new Object[] {node}).held.measuredObjects);
        assertEquals(4, Walked.from(Walked.shapes("java.util.Lis*"), new Object[] {node}).held.measuredObjects);
    }

    private static final class Target {
        Object entries = new byte[100];
        Object listeners = new byte[10_000];
        Target self = this;
        Object back;
    }

    @Test
    void aFieldListLimitsWhatItsClassIsChargedForAndNobodyElse() {
        TestJar jar = new TestJar().type(Target.class, "live", "", "entries,self,back").link();
        int[] rootClassOf = new int[jar.base + 1];
        Arrays.fill(rootClassOf, -1);
        rootClassOf[jar.base] = 0;
        Target target = new Target();
        Node node = new Node();
        node.value = target;
        target.back = new Object[] {target};
        Shapes shapes = Walked.shapes();
        Walked alone = Walked.from(shapes, rootClassOf, new int[] {0}, 1, new Object[] {target});
        assertEquals(3, alone.held.deepObjects[0], "itself, its entries, what refers back");
        Walked both = Walked.from(shapes, rootClassOf, new int[] {0, 0}, 1, new Object[] {target}, new Object[] {node});
        assertEquals(3, both.held.deepObjects[0]);
        assertEquals(5, both.held.deepObjects[1], "the node, and the target with all its fields");
    }

    @Test
    void setsThatNoObjectHasAnyMoreAreForgottenAndTheFiguresStay() {
        // A ring through objects of all root classes: each set on the way to that of all of them is some object's for a while.
        int classes = 1500;
        Node[] nodes = new Node[classes * 4];
        Arrays.setAll(nodes, i -> new Node());
        Object[][] roots = new Object[classes][];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i].next = nodes[(i + 1) % nodes.length];
        }
        Arrays.setAll(roots, c -> new Object[] {nodes[c * 4]});
        Walked walked = Walked.from(Walked.shapes(), roots);
        for (int c = 0; c < classes; c++) {
            assertEquals(nodes.length, walked.held.deepObjects[c]);
            assertEquals(0, walked.held.exclusiveBytes[c]);
        }
        assertEquals(nodes.length, walked.held.measuredObjects);
        assertEquals(walked.held.measuredBytes, walked.held.sharedOnce);
        assertTrue(walked.sets.size() < 1 << 16, "sets kept: " + walked.sets.size());
    }

    @Test
    void aWalkStopsWhenItIsTold() {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            nodes.add(new Node());
        }
        WalkLimits limits = new WalkLimits(0, Long.MAX_VALUE);
        limits.stop("enough");
        Walk walk = new Walk(Walked.shapes(), limits, new RootClassSets(), OwnLabels.none(1), new int[0],
                Walk.table(false));
        walk.from(new Object[] {nodes}, 1, 0, null);
        WalkStopped stopped = assertThrows(WalkStopped.class, walk::run);
        assertEquals("enough", stopped.getMessage());
    }

    @Test
    void sumsAddUpWhileTheProgramGoesOnChanging() throws Exception {
        Object[] shared = new Object[1000];
        AtomicBoolean done = new AtomicBoolean();
        Thread mutator = new Thread(() -> {
            Random random = new Random(1);
            while (!done.get()) {
                Node node = new Node();
                node.next = (Node) shared[random.nextInt(shared.length)];
                if (random.nextInt(10) == 0) {
                    node.next = null;
                }
                shared[random.nextInt(shared.length)] = node;
            }
        });
        mutator.start();
        Shapes shapes = Walked.shapes();
        for (int i = 0; i < 200; i++) {
            Node root = new Node();
            root.value = shared;
            Attribution held = Walked.from(shapes, new Object[] {shared}, new Object[] {root}, new Object[] {shared[i]}).held;
            long sum = held.sharedOnce;
            long even = 0;
            for (int c = 0; c < 3; c++) {
                sum += held.componentExclusive[c];
                even += held.componentEven[c];
            }
            assertEquals(held.measuredBytes, sum);
            assertEquals(held.sharedOnce, even);
        }
        done.set(true);
        mutator.join();
    }

    @Test
    void withoutAccessOpenFieldsAreReadAndClosedObjectsCounted() {
        FieldAccess none = FieldAccess.none();
        Shapes shapes = new Shapes(new ObjectSizes(null, none, VmFlags.read(none)), none, new ClassPatterns(), false, new ClassPatterns());
        Node node = new Node();
        node.value = new ArrayList<>(List.of(new Node()));
        node.next = new Node();
        Walked walked = Walked.from(shapes, new Object[] {node});
        assertEquals(3, walked.held.measuredObjects);
        assertEquals(1, walked.walk.closedObjects());
    }
}
