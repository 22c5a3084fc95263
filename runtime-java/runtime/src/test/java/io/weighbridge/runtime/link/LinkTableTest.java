package io.weighbridge.runtime.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LinkTableTest {
    @Test
    void everyLineOfTheContractIsRead() {
        LinkTable table = LinkTable.parse("weighbridge\t3\ntool\t0.1.0\njar\tapp.jar!/lib/a.jar\nconfig\tabc\n"
                + "set\texclude\ta.**;b.C\ncomponent\tcache\ncomponent\tweb\n"
                + "class\tcom.acme.A$B\tlive\tcomponent=cache\tfields=entries,index\nclass\tcom.acme.C\tcount\n"
                + "class\tcom.acme.F\tcount\tregistrar=1\nclass\tcom.acme.G\tlive\tblind\tnovelty=2\n"
                + "descendant\torg.D\nskipped\tcom.acme.E\tno code\nskips\t7\n");
        assertEquals(3, table.contract);
        assertEquals("0.1.0", table.tool);
        assertEquals("app.jar!/lib/a.jar", table.jar);
        assertEquals("abc", table.config);
        assertEquals(Map.of("exclude", "a.**;b.C"), table.options);
        assertEquals(List.of("cache", "web"), table.components);
        assertEquals("com.acme.A$B", table.classes.get(0).name);
        assertTrue(table.classes.get(0).live);
        assertEquals("cache", table.classes.get(0).component);
        assertArrayEquals(new String[] {"entries", "index"}, table.classes.get(0).fields);
        assertEquals(false, table.classes.get(1).live);
        assertNull(table.classes.get(1).component);
        assertNull(table.classes.get(1).fields);
        assertEquals(-1, table.classes.get(1).registrar);
        assertEquals(1, table.classes.get(2).registrar);
        assertEquals(false, table.classes.get(2).blind);
        assertTrue(table.classes.get(3).blind);
        assertEquals(Set.of("org.D"), table.descendants);
        assertArrayEquals(new String[] {"com.acme.E", "no code"}, table.skipped.get(0));
        assertEquals(7, table.skips);
    }

    @Test
    void fieldsAreUnescaped() {
        LinkTable table = LinkTable.parse("weighbridge\t3\ncomponent\ta\\tb\\nc\\\\d\n");
        assertEquals(List.of("a\tb\nc\\d"), table.components);
    }

    @Test
    void patternsOfComponentsKeepTheirOrder() {
        LinkTable table = LinkTable.parse("weighbridge\t3\nowns\tweb\tcom.acme.web.**\nowns\trest\tcom.**\n");
        assertEquals(List.of(List.of("web", "com.acme.web.**"), List.of("rest", "com.**")), table.componentPatterns);
    }

    @Test
    void linesOfUnknownKindAndMissingFieldsAreIgnored() {
        LinkTable table = LinkTable.parse("weighbridge\nnovelty\t1\t2\nclass\n\nskips\tmany");
        assertEquals(0, table.contract);
        assertEquals(0, table.skips);
        assertEquals("", table.classes.get(0).name);
    }
}
