package io.weighbridge.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataWriter;
import org.jacoco.core.internal.data.CRC64;
import org.jacoco.core.tools.ExecFileLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoverageTest {
    /** Two classes, one instead of the other. */
    private static final Class<?> ORIGINAL = ClassFiles.class;

    private static final Class<?> OTHER = Folders.class;

    @TempDir
    Path folder;

    @Test
    void aClassWithOtherProbesThanItsOriginalIsNamedAndTheFileStays() throws Exception {
        byte[] original = bytes(ORIGINAL);
        byte[] rewritten = bytes(OTHER);
        Path exec = folder.resolve("jacoco.exec");
        String name = OTHER.getName().replace('.', '/');
        try (var out = Files.newOutputStream(exec)) {
            new ExecutionDataWriter(out).visitClassExecution(
                    new ExecutionData(CRC64.classId(rewritten), name, new boolean[] {true}));
        }
        byte[] before = Files.readAllBytes(exec);
        Map<Path, Path> sources = Map.of(put("weighed", name, rewritten), put("classes", name, original));
        String message = assertThrows(CliException.class, () -> Coverage.translate(exec, sources)).getMessage();
        assertTrue(message.contains("coverage of " + name + " is lost"), message);
        assertTrue(Arrays.equals(before, Files.readAllBytes(exec)));
    }

    @Test
    void whatIsNotRewrittenKeepsItsData() throws Exception {
        byte[] original = bytes(ORIGINAL);
        String name = ORIGINAL.getName().replace('.', '/');
        Path exec = folder.resolve("jacoco.exec");
        try (var out = Files.newOutputStream(exec)) {
            new ExecutionDataWriter(out).visitClassExecution(
                    new ExecutionData(CRC64.classId(original), name, new boolean[] {true, false}));
        }
        Map<Path, Path> sources = Map.of(put("weighed", name, original), put("classes", name, original));
        assertEquals(0, Coverage.translate(exec, sources));
        ExecFileLoader read = new ExecFileLoader();
        read.load(exec.toFile());
        assertTrue(read.getExecutionDataStore().get(CRC64.classId(original)).hasHits());
    }

    private Path put(String source, String name, byte[] bytes) throws Exception {
        Path file = folder.resolve(source).resolve(name + ".class");
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
        return folder.resolve(source);
    }

    private static byte[] bytes(Class<?> type) throws Exception {
        try (var in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
            return in.readAllBytes();
        }
    }
}
