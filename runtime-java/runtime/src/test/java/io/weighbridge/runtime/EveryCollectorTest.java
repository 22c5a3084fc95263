package io.weighbridge.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The registry under each collector of each Java named by {@code WEIGHBRIDGE_TEST_JDKS} (this one without it).
 */
final class EveryCollectorTest {
    private static final String[][] COLLECTORS = {{"-XX:+UseSerialGC"}, {"-XX:+UseParallelGC"}, {"-XX:+UseG1GC"},
        {"-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"}, {"-XX:+UseZGC", "-XX:+ZGenerational"},
        {"-XX:+UnlockExperimentalVMOptions", "-XX:+UseShenandoahGC"}};
    /** The program, compiled for the oldest Java that the runtime supports; the other tests need a newer one. */
    @TempDir
    static Path program;
    @TempDir
    Path folder;

    @BeforeAll
    static void compile() {
        Path sources = Path.of(System.getProperty("test.sources"), "io/weighbridge/runtime");
        int code = ToolProvider.getSystemJavaCompiler().run(null, null, null, "--release", "11", "-nowarn", "-cp",
                System.getProperty("runtime.jar"), "-d", program.toString(), sources.resolve("Program.java").toString(),
                sources.resolve("TestJar.java").toString());
        assertEquals(0, code);
    }

    static List<String> javas() {
        String homes = System.getenv("WEIGHBRIDGE_TEST_JDKS");
        return Arrays.asList((homes == null ? System.getProperty("java.home") : homes).split(File.pathSeparator));
    }

    /** Those that the JVM has. */
    static Stream<List<String>> collectors() throws Exception {
        List<List<String>> found = new ArrayList<>();
        for (String home : javas()) {
            for (String[] flags : COLLECTORS) {
                List<String> command = new ArrayList<>(List.of(home + "/bin/java"));
                command.addAll(Arrays.asList(flags));
                List<String> version = new ArrayList<>(command);
                version.add("-version");
                Process process = new ProcessBuilder(version).redirectErrorStream(true).start();
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                // This JVM ignores an old flag and runs the collector of another row.
                if (process.waitFor() == 0 && !said.contains("Ignoring option")) {
                    found.add(command);
                }
            }
        }
        return found.stream();
    }

    private List<JsonObject> snapshots(List<String> java, String mode, String... options) throws Exception {
        List<String> command = new ArrayList<>(java);
        Path recording = folder.resolve(mode + ".wbr");
        command.addAll(List.of("-Xmx256m", "-Dweighbridge.destfile=" + recording, "-Dweighbridge.dumponexit=false"));
        command.addAll(Arrays.asList(options));
        command.addAll(List.of("-cp", System.getProperty("runtime.jar") + File.pathSeparator
                + program, Program.class.getName(), mode));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        assertTrue(Files.exists(recording), said);
        return Recorded.lines(recording, "snapshot");
    }

    private static JsonObject row(JsonObject snapshot, int id) {
        for (JsonElement row : snapshot.getAsJsonArray("classes")) {
            if (row.getAsJsonObject().get("id").getAsInt() == id) {
                return row.getAsJsonObject();
            }
        }
        throw new AssertionError("no class " + id + " in " + snapshot);
    }

    @ParameterizedTest
    @MethodSource("collectors")
    void smallClassesAreExactAndLargeOnesEstimatedWithinTheirError(List<String> java) throws Exception {
        JsonObject snapshot = snapshots(java, "sampled", "-Dweighbridge.references=2000").get(0);
        assertTrue(snapshot.get("collected").getAsBoolean());
        JsonObject entries = row(snapshot, 1);
        assertTrue(entries.get("exact").getAsBoolean());
        assertEquals(Program.CACHES * Program.ENTRIES, entries.get("live").getAsLong());
        assertEquals(Program.CACHES * Program.ENTRIES * 2, entries.get("allocated").getAsLong());
        JsonObject particles = row(snapshot, 3);
        assertEquals(3 * Program.PARTICLES, particles.get("allocated").getAsLong());
        assertFalse(particles.get("exact").getAsBoolean());
        assertTrue(particles.get("tracked").getAsLong() <= 2000);
        double live = particles.get("live").getAsLong();
        // All made within milliseconds, weights differ much, and a sample without the heaviest has a low estimate and a low
        // error alike, by 5.8 standard errors in one of 300 runs. So the factor is compared, which bounds both sides.
        double relative = particles.get("live_error").getAsLong() / live;
        assertTrue(Math.abs(Math.log(live / Program.PARTICLES)) <= 5 * relative, particles::toString);
        assertTrue(relative < 1, particles::toString);
        assertTrue(particles.get("oldest_full").getAsLong() >= 1, "the collection before the measurement");
        if (java.contains("-XX:+ZGenerational")) {
            assertTrue(Recorded.lines(folder.resolve("sampled.wbr"), "note").stream()
                    .anyMatch(note -> note.get("text").getAsString().contains("major collections only")));
        }
    }

    private static int feature(String home) {
        try {
            String release = Files.readString(Path.of(home, "release"));
            int at = release.indexOf("JAVA_VERSION=\"") + 14;
            return Integer.parseInt(release.substring(at).split("[.\"]")[0]);
        } catch (java.io.IOException | NumberFormatException unknown) {
            return home.equals(System.getProperty("java.home")) ? Runtime.version().feature() : 0;
        }
    }

    static List<String> javasWithVirtualThreads() {
        List<String> homes = javas().stream().filter(home -> feature(home) >= 21).collect(Collectors.toList());
        assertFalse(homes.isEmpty(), "this test needs a Java 21 or newer: name its home in WEIGHBRIDGE_TEST_JDKS");
        return homes;
    }

    @ParameterizedTest
    @MethodSource("javasWithVirtualThreads")
    void onVirtualThreadsEveryCycleIsCountedExactly(String home) throws Exception {
        // With so much room for the young no collection runs but those that are asked for, which end the cycles.
        List<JsonObject> rounds = snapshots(List.of(home + "/bin/java"), "virtual", "-Xms256m", "-Xmn160m");
        for (int round = 0; round < 2; round++) {
            JsonObject particles = row(rounds.get(round), 3);
            assertEquals((round + 1) * 10 * Program.VIRTUAL_THREADS, particles.get("allocated").getAsLong());
            assertEquals(0, particles.get("since_collection").getAsLong());
            assertEquals(10 * Program.VIRTUAL_THREADS, particles.get("last_cycle").getAsLong());
            JsonObject group = rounds.get(round).getAsJsonArray("threads").asList().stream().map(JsonElement::getAsJsonObject)
                    .filter(t -> t.get("name").getAsString().equals("virtual threads")).findFirst().orElseThrow();
            assertEquals((round + 1) * 10 * Program.VIRTUAL_THREADS, group.get("allocated").getAsLong());
        }
    }
}
