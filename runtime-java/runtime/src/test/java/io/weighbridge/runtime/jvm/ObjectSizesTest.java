package io.weighbridge.runtime.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.walk.ClassPatterns;
import io.weighbridge.runtime.walk.Shapes;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import sun.misc.Unsafe;

/** Both formulas against the JVM's own answer. */
final class ObjectSizesTest {
    private static final ObjectSizes EXACT = ObjectSizes.get();
    private static final VmFlags FLAGS = VmFlags.read(FieldAccess.get());
    private static final ObjectSizes BY_OFFSETS = new ObjectSizes(null, FieldAccess.get(), FLAGS);
    private static final ObjectSizes BY_RULES = new ObjectSizes(null, FieldAccess.none(), FLAGS);

    @Test
    void arraysOfEveryKindHaveTheirExactSize() {
        assertEquals("instrumentation", EXACT.kind());
        Class<?>[] kinds = {boolean.class, byte.class, char.class, short.class, int.class, float.class, long.class,
            double.class, Object.class, int[].class};
        for (Class<?> kind : kinds) {
            assertEquals(EXACT.arrayBase(kind), BY_RULES.arrayBase(kind), kind.getName());
            for (int length = 0; length < 40; length++) {
                Object array = Array.newInstance(kind, length);
                Shapes shapes = new Shapes(BY_RULES, FieldAccess.get(), new ClassPatterns(), false, new ClassPatterns());
                long formula = shapes.bytes(array, shapes.get(array.getClass()));
                assertEquals(EXACT.instance(array), formula, kind.getName() + "[" + length + "]");
            }
        }
    }

    @Test
    void anArraysLayoutSaysOfTheFlagsWhatTheBeanSays() {
        VmFlags asked = VmFlags.read(FieldAccess.none());
        assertEquals(asked.compressedOops, FLAGS.compressedOops);
        assertEquals(asked.compressedClassPointers, FLAGS.compressedClassPointers);
        assertEquals(asked.compactHeaders, FLAGS.compactHeaders);
        assertEquals(asked.alignment, FLAGS.alignment);
    }

    static class Empty {
    }

    static class OneByte extends Empty {
        byte b;
    }

    static class ByteThenLong extends OneByte {
        long l;
    }

    static class Gaps extends ByteThenLong {
        boolean z;
        Object o;
        short s;
        char c;
        double d;
    }

    static class MoreGaps extends Gaps {
        int i;
        byte b2;
        Object o2;
        Object o3;
        float f;
        byte b3;
        long l2;
    }

    @Test
    void fieldsFillGapsAsInThisVersionOfTheJvm() {
        for (Object o : new Object[] {new Empty(), new OneByte(), new ByteThenLong(), new Gaps(), new MoreGaps(), new Object()}) {
            assertEquals(EXACT.instance(o), BY_OFFSETS.instance(o.getClass()), o.getClass().getName());
            assertEquals(EXACT.instance(o), BY_RULES.instance(o.getClass()), o.getClass().getName());
        }
    }

    @Test
    void theFormulasMissFewOfTheJdksClasses() throws Exception {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Unsafe unsafe = (Unsafe) field.get(null);
        List<String> offsetMisses = new ArrayList<>();
        List<String> ruleMisses = new ArrayList<>();
        int all = 0;
        for (String name : collections()) {
            Class<?> type = Class.forName(name, false, null);
            if (type.isInterface() || Modifier.isAbstract(type.getModifiers()) || type.isEnum()) {
                continue;
            }
            Object o;
            try {
                o = unsafe.allocateInstance(type);
            } catch (Throwable initializerFailed) {
                continue;
            }
            all++;
            long exact = EXACT.instance(o);
            if (exact != BY_OFFSETS.instance(type)) {
                offsetMisses.add(name);
            }
            if (exact != BY_RULES.instance(type)) {
                ruleMisses.add(name);
            }
        }
        System.out.println("ObjectSizesTest: " + all + " classes, missed by offsets " + offsetMisses + ", by rules " + ruleMisses);
        assertTrue(all > 800, "classes: " + all);
        assertTrue(offsetMisses.size() * 100 <= all * 2, offsetMisses.toString());
        assertTrue(ruleMisses.size() * 100 <= all * 3, ruleMisses.toString());
    }

    private static List<String> collections() throws IOException {
        Path base = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        List<String> names = new ArrayList<>();
        for (String folder : new String[] {"java/util", "java/time", "java/text", "java/math"}) {
            try (Stream<Path> files = Files.walk(base.resolve(folder))) {
                files.filter(f -> f.toString().endsWith(".class"))
                        .map(f -> base.relativize(f).toString().replace('/', '.').replaceAll("\\.class$", ""))
                        .forEach(names::add);
            }
        }
        return names;
    }
}
