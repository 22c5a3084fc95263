package io.weighbridge.maven;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.maven.plugin.MojoExecutionException;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataWriter;
import org.jacoco.core.internal.data.CRC64;
import org.jacoco.core.tools.ExecFileLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoverageTest {
    private static final Path BASE = Path.of("/build");

    /** Two classes, one instead of the other. */
    private static final Class<?> ORIGINAL = Arguments.class;

    private static final Class<?> OTHER = Folders.class;

    @TempDir
    Path folder;

    @Test
    void theFilesOfAllAgentsAreFoundWhereverTheirPathsHaveBlanks() throws Exception {
        Properties properties = new Properties();
        String runtime = "\"-javaagent:/a jacoco/weighbridge-runtime.jar\" \"-Dweighbridge.destfile=/a jacoco/x.wbr\" ";
        properties.setProperty(
                "argLine",
                runtime + "\"-javaagent:/m 2/org.jacoco.agent-0.8.16-runtime.jar=destfile=/a b/one.exec,append=true\" -Xmx1g");
        properties.setProperty("it", "-javaagent:/m2/org.jacoco.agent-0.8.7-runtime.jar=excludes=a.*,destfile=two.exec -ea");
        properties.setProperty("default", "-javaagent:/m2/org.jacoco.agent-0.8.7-runtime.jar=append=false");
        properties.setProperty("other", "-javaagent:/m2/jacoco.jar=destfile=three.exec");
        assertEquals(
                Set.of(Path.of("/a b/one.exec"), BASE.resolve("two.exec"), BASE.resolve("jacoco.exec")),
                Coverage.files(properties, BASE));
        assertEquals(Set.of(), Coverage.files(new Properties(), BASE));
    }

    @Test
    void dataThatGoesElsewhereIsRefused() {
        assertTrue(refused("output=tcpserver,port=1").contains("output=tcpserver"));
        assertTrue(refused("destfile=j-${surefire.forkNumber}.exec").contains("names a file of each JVM"));
    }

    private static String refused(String options) {
        Properties properties = new Properties();
        properties.setProperty("argLine", "-javaagent:/org.jacoco.agent-0.8.16-runtime.jar=" + options);
        return assertThrows(MojoExecutionException.class, () -> Coverage.files(properties, BASE)).getMessage();
    }

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
        String message = assertThrows(MojoExecutionException.class, () -> Coverage.translate(exec, sources)).getMessage();
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
