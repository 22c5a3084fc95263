package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NamePatternTest {
    @ParameterizedTest
    @CsvSource({
        "com.acme.Cache, com.acme.Cache, true",
        "com.acme.Cache, com.acme.Cache$Node, false",
        "com.acme.*, com.acme.Cache$Node, true",
        "com.acme.*, com.acme.web.Page, false",
        "com.acme.**, com.acme.web.Page, true",
        "com.acme.**, com.acmeX, false",
        "com.acme.**, com.acme, false",
        "**.Cache, Cache, true",
        "**.Cache, a.b.Cache, true",
        "**.Cache, a.MyCache, false",
        "com.**.Cache, com.Cache, true",
        "com.**.Cache, com.a.b.Cache, true",
        "com.**.Cache, comX.Cache, false",
        "com.ac?e.Cache, com.acme.Cache, true",
        "com?acme.Cache, com.acme.Cache, false",
        "**, a.b.C, true",
        "**Cache, a.b.MyCache, true",
        "*Cache, a.MyCache, false",
        "**.*$$SpringCGLIB$$*, com.a.B$$SpringCGLIB$$0, true",
        "**.*Constants, com.Constants, true",
        "a.**.b.**.C, a.b.C, true",
        "a.**.b.**.C, a.x.b.y.z.C, true",
        "a.**.b.**.C, a.x.y.C, false",
    })
    void aPatternMatchesAsInTheConfiguration(String pattern, String name, boolean matches) {
        assertEquals(matches, new NamePattern(pattern).matches(name));
    }
}
