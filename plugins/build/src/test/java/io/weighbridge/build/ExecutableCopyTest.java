package io.weighbridge.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecutableCopyTest {
    @TempDir
    Path folder;

    @Test
    void aCopyIsExecutableAndMadeOnce() throws IOException {
        Path artifact = Files.writeString(folder.resolve("a.exe"), "one");
        Path copy = ExecutableCopy.of(artifact, folder.resolve("cache"));
        assertTrue(Files.isExecutable(copy));
        FileTime made = FileTime.fromMillis(0);
        Files.setLastModifiedTime(copy, made);
        assertEquals(copy, ExecutableCopy.of(artifact, folder.resolve("cache")));
        assertEquals(made, Files.getLastModifiedTime(copy));
        Files.writeString(artifact, "two");
        assertNotEquals(copy, ExecutableCopy.of(artifact, folder.resolve("cache")));
    }

    @Test
    void aDamagedCopyIsReplaced() throws IOException {
        Path artifact = Files.writeString(folder.resolve("a.exe"), "whole");
        Path copy = ExecutableCopy.of(artifact, folder.resolve("cache"));
        Files.writeString(copy, "wh");
        assertEquals(copy, ExecutableCopy.of(artifact, folder.resolve("cache")));
        assertEquals("whole", Files.readString(copy));
        try (var all = Files.list(copy.getParent())) {
            assertEquals(1, all.count(), "no part of a copy stays");
        }
    }
}
