package io.weighbridge.runtime.walk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class ClassPatternsTest {
    @Test
    void aNameWithoutWildcardsStandsForItsSubtypes() {
        assertEquals(true, new ClassPatterns("java.lang.ClassLoader").covers(java.net.URLClassLoader.class));
        assertEquals(true, new ClassPatterns("java.util.Collection").covers(java.util.ArrayList.class));
        assertEquals(false, new ClassPatterns("java.util.Collectio?").covers(java.util.ArrayList.class));
        assertEquals(false, new ClassPatterns("java.util.ArrayList").covers(java.util.LinkedList.class));
    }
}
