package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.TestJar;
import io.weighbridge.runtime.link.ClassLines;
import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.walk.Walked;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class ClassTableTest {
    private static int number;

    private static final class Loader extends ClassLoader {
    }

    /** A table of so many classes of one package, all its own. */
    private static String table(String name, int classes) {
        StringBuilder text = new StringBuilder("weighbridge\t" + LinkTable.CONTRACT + "\njar\t" + name + number++ + ".jar\n");
        for (int i = 0; i < classes; i++) {
            text.append("class\t").append(name).append(".C").append(i).append("\tcount\n");
        }
        return text.toString();
    }

    private static int add(String text, ClassLoader loader) {
        LinkTable table = LinkTable.parse(text);
        ClassTable.add(table, loader);
        return table.base;
    }

    private static boolean hasEntry(int id) {
        return Arrays.stream(ClassTable.entries()).anyMatch(e -> e.id == id);
    }

    private static final class First {
    }

    private static final class Second {
    }

    @Test
    void aClassHasNoEntryBeforeItsFirstObject() {
        TestJar jar = new TestJar().count(First.class).count(Second.class).link();
        assertFalse(hasEntry(jar.base) || hasEntry(jar.base + 1));
        jar.count(Second.class, Second.class, 1);
        // This thread has counters for the first class now, too, so that nothing but the sweep meets its objects.
        jar.count(First.class, First.class, 0);
        jar.count(First.class, First.class, 0);
        assertEquals(2, jar.allocated(0));
        assertEquals(1, jar.allocated(1));
        assertTrue(hasEntry(jar.base) && hasEntry(jar.base + 1));
        assertSame(jar.entry(0), jar.entry(0));
    }

    @Test
    void whatADeadThreadHasCountedWithoutAnEntryIsKept() throws Exception {
        TestJar jar = new TestJar().count(First.class).count(Second.class).link();
        Thread thread = new Thread(() -> {
            jar.count(Second.class, Second.class, 1);
            jar.count(First.class, First.class, 0);
        });
        thread.start();
        thread.join();
        assertEquals(1, jar.allocated(0));
        assertEquals(1, jar.allocated(0), "asked again");
    }

    @Test
    void everyClassOfManyJarsIsFoundByNameAndLoader() {
        ClassLoader loader = new Loader();
        int[] bases = new int[40];
        for (int jar = 0; jar < bases.length; jar++) {
            bases[jar] = add(table("org.jar" + jar, 50), loader);
        }
        for (int jar = 0; jar < bases.length; jar++) {
            for (int i = 0; i < 50; i++) {
                String name = "org.jar" + jar + ".C" + i;
                assertEquals(bases[jar] + i, ClassTable.idOf(name, loader));
                assertEquals(name, ClassTable.entry(bases[jar] + i).name);
            }
        }
        assertEquals(ClassTable.NONE, ClassTable.idOf("org.jar0.C50", loader));
        assertEquals(ClassTable.NONE, ClassTable.idOf("org.jar0.C0", new Loader()));
        assertEquals(ClassTable.NONE, ClassTable.idOf("org.jar0.C0", null));
    }

    @Test
    void equalNamesAreToldApartByTheirLoaders() throws Exception {
        ClassLoader one = new Loader();
        ClassLoader other = new Loader();
        int first = add(table("org.twin", 2), one);
        assertFalse(ClassTable.isTwin(first));
        int second = add(table("org.twin", 1), other);
        assertEquals(first, ClassTable.idOf("org.twin.C0", one));
        assertEquals(second, ClassTable.idOf("org.twin.C0", other));
        assertTrue(ClassTable.isTwin(first) && ClassTable.isTwin(second));
        assertFalse(ClassTable.isTwin(first + 1));
        assertSame(other, ClassTable.loaderOf(ClassTable.entry(second)));
    }

    /** The rest of package-info's 20 to 30 bytes are an element for the entry and two to four slots for the name. */
    @Test
    void theLineOfAClassTakesEightBytesBesidesTheText() {
        int classes = 10_000;
        String text = table("org.bytes", classes);
        ClassLines lines = LinkTable.parse(text).classes;
        Walked held = Walked.from(Walked.shapes(), new Object[][] {{lines}, {text}});
        long bytes = held.held.exclusiveBytes[0];
        assertTrue(bytes <= 8L * classes + 200, bytes + " bytes for the lines of " + classes + " classes");
    }

    /** Both hash to 2112. */
    @Test
    void namesWithEqualHashesAreDifferentClasses() {
        ClassLoader loader = new Loader();
        String text = "weighbridge\t" + LinkTable.CONTRACT + "\njar\thashes.jar\nclass\tAa\tlive\nclass\tBB\tlive\n";
        int base = add(text, loader);
        assertEquals(base, ClassTable.idOf("Aa", loader));
        assertEquals(base + 1, ClassTable.idOf("BB", loader));
        assertFalse(ClassTable.isTwin(base));
    }

    @Test
    void aJarOfManyLoadersIsTheJarOfEach() throws Exception {
        String text = table("org.many", 1);
        ClassLoader one = new Loader();
        int base = add(text, one);
        assertSame(one, ClassTable.loaderOf(ClassTable.entry(base)));
        add(text, null);
        assertEquals(base, ClassTable.idOf("org.many.C0", null));
        assertEquals(base, ClassTable.idOf("org.many.C0", one));
    }

    @Test
    void theClassesOfALoaderThatIsGoneHaveNone() throws Exception {
        int base = add(table("org.gone", 1), new Loader());
        for (int i = 0; i < 50; i++) {
            System.gc();
            try {
                ClassTable.loaderOf(ClassTable.entry(base));
                Thread.sleep(20);
            } catch (ClassNotFoundException gone) {
                break;
            }
        }
        assertThrows(ClassNotFoundException.class, () -> ClassTable.loaderOf(ClassTable.entry(base)));
    }

    @Test
    void whatIsNoIdHasNoEntry() {
        assertNull(ClassTable.entry(-1));
        assertNull(ClassTable.entry(ClassTable.size()));
        assertNull(ClassTable.entry(Integer.MAX_VALUE));
    }

    @Test
    void theFieldsOfALineAreReadFromTheText() {
        LinkTable table = LinkTable.parse("weighbridge\t3\nclass\ta\\tb\tcount\tcomponent=c\\\\d\tfields=x,y\tregistrar=3\tblind\nclass\te");
        ClassLines.Line first = table.classes.get(0);
        assertEquals("a\tb", first.name);
        assertEquals("a\tb".hashCode(), table.classes.hash(0));
        assertFalse(first.live);
        assertEquals("c\\d", first.component);
        assertArrayEquals(new String[] {"x", "y"}, first.fields);
        assertEquals(3, first.registrar);
        assertTrue(first.blind);
        ClassLines.Line last = table.classes.get(1);
        assertEquals("e", last.name);
        assertTrue(last.live);
        assertNull(last.component);
        assertNull(last.fields);
        assertEquals(-1, last.registrar);
        assertFalse(last.blind);
    }
}
