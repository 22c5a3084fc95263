package io.weighbridge.runtime.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.Measuring;
import io.weighbridge.runtime.TestJar;
import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.probe.Tracked;
import io.weighbridge.runtime.walk.OwnWeight;
import java.io.File;
import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** The runtime's own weight, against what the test adds to it. */
final class OwnWeightTest {
    private static final int OBJECTS = 2_000;

    static final class Held {
    }

    static final class Counted {
    }

    @Test
    void registeredObjectsWeighTheirReferencesAndNothingOfTheProgram() {
        TestJar jar = new TestJar().live(Held.class).count(Counted.class).link();
        // This thread has counters by then, however many classes other tests have linked.
        for (int i = 0; i < OBJECTS; i++) {
            jar.count(Counted.class, Counted.class, 1);
        }
        List<Object> held = new ArrayList<>();
        // Garbage of earlier tests must not go meanwhile.
        System.gc();
        Held first = new Held();
        jar.live(first, Held.class, 0);
        jar.population(0);
        long before = OwnWeight.measure(Statics.with(Life.class));
        for (int i = 0; i < OBJECTS; i++) {
            Held object = new Held();
            jar.live(object, Held.class, 0);
            held.add(object);
        }
        long fresh = OwnWeight.measure(Statics.with(Life.class)) - before;
        jar.population(0);
        long swept = OwnWeight.measure(Statics.with(Life.class)) - before;
        ObjectSizes sizes = ObjectSizes.get();
        long each = sizes.instance(jar.swept(0).sample.kept[0]);
        assertTrue(Math.abs(fresh - OBJECTS * each) <= OBJECTS, fresh + " for " + OBJECTS + " times " + each);
        long array = sizes.arrayBase(Tracked.class) + (long) jar.swept(0).sample.kept.length * sizes.referenceBytes();
        assertTrue(Math.abs(swept - OBJECTS * each - array) <= OBJECTS, swept + " for " + OBJECTS + " times " + each + " and " + array);
        assertEquals(OBJECTS, held.size());
        Reference.reachabilityFence(first);
    }

    @Test
    void aTableWeighsItsTextAndEightBytesALine() {
        long before = OwnWeight.measure(Statics.with(Life.class));
        int lines = 2_000;
        TestJar jar = new TestJar().fillers(lines).link();
        long grown = OwnWeight.measure(Statics.with(Life.class)) - before;
        long text = jar.text().length();
        assertTrue(grown >= text + 8L * lines, grown + " for a text of " + text);
        // Entries by id and slots by name double as they grow.
        assertTrue(grown <= text + 64L * lines, grown + " for a text of " + text);
    }

    @Test
    void fiveThousandClassesAndFiftyThreadsTakeTwoMebibytesAndAHundredthOfTheHeap() throws Exception {
        long heap = 256L << 20;
        long most = (2L << 20) + heap / 100;
        long own = ofManyClasses(heap);
        // Threads that happen to meet at every class give each of the JDK's adders cells of 144 bytes: rare, and not always.
        for (int again = 0; again < 3 && own > most; again++) {
            own = ofManyClasses(heap);
        }
        assertTrue(own > 1 << 20 && own <= most, own + " of " + most);
    }

    /** Runs the program in a JVM of its own and checks what it counted; gives the runtime's own bytes. */
    private static long ofManyClasses(long heap) throws Exception {
        String classPath = String.join(File.pathSeparator, System.getProperty("runtime.jar"), System.getProperty("test.classes"));
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap, "-XX:+UseSerialGC", "-javaagent:" + System.getProperty("runtime.jar") + "=output=none", "-cp", classPath,
                ManyClasses.class.getName()).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        String[] figures = output.trim().split(" ");
        long constructed = (long) ManyClasses.ROUNDS * ManyClasses.CLASSES * ManyClasses.THREADS;
        assertEquals(constructed, Long.parseLong(figures[0]), "every construction is counted");
        assertEquals(constructed, Long.parseLong(figures[2]), "and belongs to its thread, whichever counter it is in");
        long shared = Long.parseLong(figures[3]);
        assertTrue(shared > constructed / 4 && shared < constructed * 9 / 10, "some threads have counters, others no room: " + output);
        return Long.parseLong(figures[1]);
    }

    @Test
    void everyClassWhoseStaticFieldsCanHoldMuchIsAsked() throws Exception {
        new TestJar().live(Held.class).link();
        Set<String> asked = new TreeSet<>();
        for (Class<?> holder : Statics.with(Life.class, Measuring.class)) {
            asked.add(holder.getName());
        }
        Set<String> notAsked = new TreeSet<>();
        try (JarFile jar = new JarFile(System.getProperty("runtime.jar"))) {
            for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
                String name = entry.getName();
                if (name.startsWith("io/weighbridge/runtime/") && name.endsWith(".class") && !name.contains("info")) {
                    Class<?> type = Class.forName(name.substring(0, name.length() - 6).replace('/', '.'), false, getClass().getClassLoader());
                    if (!asked.contains(type.getName()) && holdsMuch(type)) {
                        notAsked.add(type.getName());
                    }
                }
            }
        }
        assertEquals(Set.of(), notAsked);
    }

    /** A field that is written, or a collection or array that may grow or is large; not constants. */
    private static boolean holdsMuch(Class<?> type) {
        for (Field field : type.getDeclaredFields()) {
            Class<?> of = field.getType();
            boolean constant = Modifier.isFinal(field.getModifiers()) && !java.util.Collection.class.isAssignableFrom(of)
                    && !java.util.Map.class.isAssignableFrom(of) && of != long[].class && of != int[].class;
            if (Modifier.isStatic(field.getModifiers()) && !of.isPrimitive() && !constant && !of.isEnum()
                    && of != java.lang.instrument.Instrumentation.class && !field.isSynthetic()) {
                return true;
            }
        }
        return false;
    }
}
