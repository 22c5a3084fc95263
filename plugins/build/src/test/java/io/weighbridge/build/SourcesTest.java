package io.weighbridge.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourcesTest {
    @TempDir
    Path folder;

    @Test
    void theSecondSourceOfANameIsCopiedUnderItsOtherName() throws IOException {
        Path own = classes("app");
        Path other = classes("api");
        Path jar = Files.writeString(folder.resolve("core.jar"), "1");
        Path namesake = Files.writeString(Files.createDirectory(folder.resolve("b")).resolve("core.jar"), "2");
        Path staging = folder.resolve("staged");
        Sources sources = new Sources(staging);
        sources.add(own);
        sources.add(other, "com.acme-api-1.0");
        sources.add(jar, "com.acme-core-1.0.jar");
        sources.add(namesake, "com.acme-core-1.0-linux.jar");
        assertEquals(
                Map.of(
                        "classes", own,
                        "com.acme-api-1.0", staging.resolve("com.acme-api-1.0"),
                        "core.jar", jar,
                        "com.acme-core-1.0-linux.jar", staging.resolve("com.acme-core-1.0-linux.jar")),
                sources.staged());
        assertEquals("api", Files.readString(staging.resolve("com.acme-api-1.0/a/b/X.class")));
        assertEquals("2", Files.readString(staging.resolve("com.acme-core-1.0-linux.jar")));
        sources.unstage();
        assertFalse(Files.exists(staging));
    }

    private Path classes(String module) throws IOException {
        Path classes = folder.resolve(module).resolve("classes");
        Files.writeString(Files.createDirectories(classes.resolve("a/b")).resolve("X.class"), module);
        return classes;
    }
}
