package io.weighbridge.runtime.jvm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
import org.junit.jupiter.api.Test;

final class ClassHistogramTest {
    private static final String TEXT = " num     #instances         #bytes  class name (module)\n"
            + "-------------------------------------------------------\n"
            + "   1:          9688         448160  [B (java.base@17.0.15)\n"
            + "   2:            12            192  com.acme.A\n"
            + "   3:             7            112  com.acme.A (com.acme@1.0)\n"
            + "   4:             3             48  com.acme.AB\n"
            + "Total          9710         448512\n";

    @Test
    void theCommandIsReachedWithoutTheBeanServer() {
        assertNotNull(FieldAccess.get().lookup);
        assertNotNull(ClassHistogram.Command.HANDLE);
    }

    @Test
    void aNameHasALineForEachLoader() throws JMException {
        Map<String, List<long[]>> rows = ClassHistogram.rows(TEXT, Set.of("com.acme.A", "com.acme.C"));
        assertEquals(1, rows.size());
        assertArrayEquals(new long[] {12, 192}, rows.get("com.acme.A").get(0));
        assertArrayEquals(new long[] {7, 112}, rows.get("com.acme.A").get(1));
        assertEquals(448512, ClassHistogram.total(TEXT));
    }

    @Test
    void anAnswerWithoutATotalIsRefused() {
        assertThrows(JMException.class, () -> ClassHistogram.total("1: 2 3 a.B"));
    }
}
