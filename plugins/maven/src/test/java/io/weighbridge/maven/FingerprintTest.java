package io.weighbridge.maven;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FingerprintTest {
    @TempDir
    Path folder;

    @Test
    void theDigestIsOfContentNotOfTimes() throws IOException {
        Path file = Files.writeString(Files.createDirectories(folder.resolve("a/b")).resolve("X.class"), "bytes");
        String before = of(folder);
        Files.setLastModifiedTime(file, FileTime.fromMillis(0));
        assertEquals(before, of(folder));
        Files.writeString(file, "other");
        assertNotEquals(before, of(folder));
    }

    @Test
    void aFileUnderAnotherNameIsOtherContent() throws IOException {
        Path file = Files.writeString(folder.resolve("X.class"), "bytes");
        String before = of(folder);
        Files.move(file, folder.resolve("Y.class"));
        assertNotEquals(before, of(folder));
    }

    @Test
    void partsDoNotRunIntoEachOther() {
        assertNotEquals(
                new Fingerprint().add("ab").add("c").hex(), new Fingerprint().add("a").add("bc").hex());
    }

    @Test
    void aMissingFileDiffersFromAnEmptyOne() throws IOException {
        Path file = Files.createFile(folder.resolve("empty"));
        String empty = of(file);
        Files.delete(file);
        assertNotEquals(empty, of(file));
    }

    private static String of(Path path) throws IOException {
        return new Fingerprint().add(path).hex();
    }
}
