package io.weighbridge.runtime.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.weighbridge.runtime.Program;
import io.weighbridge.runtime.Recorded;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The peak watch, in JVMs of its own. */
final class PeakWatchTest {
    private static final String SKIPPED = "[warning][gc] GC locker is held; pre-dump GC was skipped";
    private static final long HELD = (long) PeakProgram.BLOCKS * PeakProgram.BLOCK;
    @TempDir
    Path folder;

    /** How often the JVM said that it counted classes without a collection: the program inflates meanwhile. */
    private int uncollectedHistograms;

    private Path run(String options, String... flags) throws Exception {
        String jar = System.getProperty("runtime.jar");
        Path recording = folder.resolve("r.wbr");
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-javaagent:" + jar + "=cpu_percent=100,pause=1h,destfile=" + recording + "," + options, "-cp",
                String.join(File.pathSeparator, jar, System.getProperty("test.classes"), gson()),
                PeakProgram.class.getName(), recording.toString()));
        Process process = new ProcessBuilder(command).redirectError(folder.resolve("err").toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        List<String> lines = output.lines().filter(line -> !line.endsWith(SKIPPED)).collect(Collectors.toList());
        assertEquals(List.of("1"), lines);
        uncollectedHistograms = (int) output.lines().count() - lines.size();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        // The program inflates while its heap is dumped: the JVM may say so, and then the recording does.
        assertEquals(Recorded.jvmSkippedCollections(Files.readString(folder.resolve("err"))), Recorded.tellsOfGarbageInDumps(recording));
        return recording;
    }

    private static String gson() throws Exception {
        return Path.of(com.google.gson.Gson.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    }

    /** The counts, after checking what must hold of them in every mode and source. */
    private static List<JsonObject> counts(Path recording, String mode, String source) throws Exception {
        List<JsonObject> counts = Recorded.lines(recording, "live_count");
        long peak = 0;
        long allocated = 0;
        for (JsonObject count : counts) {
            assertEquals(mode, count.get("mode").getAsString());
            assertEquals(source, count.get("source").getAsString());
            long live = count.get("live_bytes").getAsLong();
            assertTrue(live > 0);
            peak = Math.max(peak, live);
            assertEquals(peak, count.get("peak_bytes").getAsLong());
            assertTrue(count.get("ceiling_bytes").getAsLong() >= peak);
            assertTrue(count.get("allocated_bytes").getAsLong() >= Math.max(allocated, live));
            allocated = count.get("allocated_bytes").getAsLong();
        }
        assertTrue(peak >= HELD, "peak " + peak);
        return counts;
    }

    private static List<JsonObject> peaks(Path recording) throws Exception {
        return Recorded.lines(recording, "snapshot").stream().filter(s -> s.get("reason").getAsString().equals("peak"))
                .collect(Collectors.toList());
    }

    @Test
    void aNewPeakLeavesItsClassTableItsCallTreeAndOneHeapDump() throws Exception {
        Path recording = run("peak=peak-with-tolerance,peak_tolerance=16m,peak_floor=8m,sites=20,peak_dump="
                + folder.resolve("peak.hprof"));
        List<JsonObject> counts = counts(recording, "peak-with-tolerance", "walk");
        JsonObject last = peaks(recording).get(peaks(recording).size() - 1);
        assertTrue(last.getAsJsonObject("total").get("measured_bytes").getAsLong() >= HELD);
        assertTrue(last.get("collected").getAsBoolean());
        assertEquals(PeakProgram.BLOCKS, last.getAsJsonArray("classes").get(0).getAsJsonObject().get("live").getAsInt());
        JsonObject sites = Recorded.lines(recording, "sites").stream()
                .filter(line -> line.get("seq").equals(last.get("seq"))).findFirst().orElseThrow();
        JsonObject object = sites.getAsJsonArray("objects").get(0).getAsJsonObject();
        assertEquals(PeakProgram.BLOCKS, object.get("objects").getAsInt());
        assertTrue(path(sites, object.get("site").getAsInt())
                .endsWith("io.weighbridge.runtime.control.PeakProgram.main > io.weighbridge.runtime.control.PeakProgram.fill > "
                + "io.weighbridge.runtime.TestJar.live"), sites::toString);
        String dump = folder.resolve("peak.hprof").toString();
        assertTrue(counts.stream().anyMatch(c -> c.has("dump") && c.get("dump").getAsString().equals(dump)));
        assertTrue(Files.size(folder.resolve("peak.hprof")) > HELD);
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(1, files.filter(f -> f.toString().endsWith(".hprof")).count(), "the dump being written is gone");
        }
    }

    private static String path(JsonObject sites, int id) {
        for (JsonElement e : sites.getAsJsonArray("nodes")) {
            JsonObject node = e.getAsJsonObject();
            if (node.get("id").getAsInt() == id) {
                String frame = node.get("frame").getAsString();
                return node.has("parent") ? path(sites, node.get("parent").getAsInt()) + " > " + frame : frame;
            }
        }
        throw new AssertionError("no node " + id);
    }

    @Test
    void theClassHistogramCountsTheWholeHeap() throws Exception {
        Path recording;
        List<JsonObject> counts;
        long withGarbage;
        int runs = 0;
        // On a loaded machine there may be one count only, and the JVM may skip its collection (GCLocker): then once more.
        do {
            Files.deleteIfExists(folder.resolve("r.wbr"));
            recording = run("peak=threshold,peak_source=histogram,peak_tolerance=4m");
            counts = counts(recording, "threshold", "histogram");
            withGarbage = counts.stream().filter(count -> !count.get("collected").getAsBoolean()).count();
        } while (withGarbage == counts.size() && uncollectedHistograms >= 2 * withGarbage && ++runs < 5);
        assertTrue(uncollectedHistograms >= 2 * withGarbage && withGarbage < counts.size(),
                withGarbage + " of " + counts.size() + " counts, " + uncollectedHistograms + " warnings");
        assertFalse(peaks(recording).isEmpty());
    }

    @Test
    void withoutACollectorTheClassHistogramSaysThatItCountsGarbage() throws Exception {
        Path recording = run("peak=threshold,peak_source=histogram,peak_tolerance=4m", "-XX:+UnlockExperimentalVMOptions",
                "-XX:+UseEpsilonGC", "-Xmx2g", "-Xlog:disable");
        List<JsonObject> counts = Recorded.lines(recording, "live_count");
        assertFalse(counts.isEmpty());
        assertTrue(counts.stream().noneMatch(count -> count.get("collected").getAsBoolean()), counts::toString);
    }

    @Test
    void theHeapAfterACollectionBoundsTheLiveBytes() throws Exception {
        Path recording = run("peak=peak-only,peak_source=usage,peak_floor=8m");
        assertTrue(counts(recording, "peak-only", "usage").get(0).get("collected").getAsBoolean());
    }

    @Test
    void anIntervalCountsWithoutAnyPeak() throws Exception {
        Path recording = run("peak=interval,peak_interval=100ms,gc=never,cpu_percent=100");
        JsonObject count = counts(recording, "interval", "walk").get(0);
        assertEquals(100, count.get("interval_ms").getAsInt());
        assertFalse(count.get("collected").getAsBoolean());
    }

    @Test
    void withoutTheOptionNothingIsCounted() throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dweighbridge.destfile=" + folder.resolve("r.wbr"), "-Dweighbridge.interval=50ms", "-Dweighbridge.cpu_percent=100",
                "-cp", System.getProperty("runtime.jar") + File.pathSeparator + System.getProperty("test.classes"),
                Program.class.getName(), "sleep").redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        assertEquals(0, process.waitFor());
        assertTrue(Recorded.lines(folder.resolve("r.wbr"), "live_count").isEmpty());
        assertTrue(Recorded.lines(folder.resolve("r.wbr"), "sites").isEmpty());
    }
}
