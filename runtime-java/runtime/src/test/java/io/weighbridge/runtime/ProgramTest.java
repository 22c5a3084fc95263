package io.weighbridge.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.weighbridge.runtime.jvm.ProcessId;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole runtime, in JVMs of its own. */
final class ProgramTest {
    private static final String JAR = System.getProperty("runtime.jar");
    @TempDir
    Path folder;

    private Process start(String agentOptions, String mode, String... flags) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (agentOptions != null) {
            command.add("-javaagent:" + JAR + "=destfile=" + folder.resolve("r.wbr") + agentOptions);
        } else {
            command.add("-Dweighbridge.destfile=" + folder.resolve("r.wbr"));
        }
        command.addAll(Arrays.asList(flags));
        command.addAll(List.of("-cp", JAR + File.pathSeparator + System.getProperty("test.classes"),
                Program.class.getName(), mode));
        return new ProcessBuilder(command).redirectError(folder.resolve("err").toFile()).start();
    }

    private String run(String agentOptions, String mode, String... flags) throws Exception {
        Process process = start(agentOptions, mode, flags);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals("", Files.readString(folder.resolve("err")), "standard error stays the program's");
        return output;
    }

    /** Lines of a kind; a file that ends in the middle of a member is read up to there. */
    private List<JsonObject> lines(String kind) throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (InputStream in = new GZIPInputStream(new FileInputStream(folder.resolve("r.wbr").toFile()))) {
            in.transferTo(text);
        } catch (EOFException cut) {
            assertTrue(text.size() > 0);
        }
        return text.toString(StandardCharsets.UTF_8).lines().map(JsonParser::parseString).map(JsonElement::getAsJsonObject)
                .filter(line -> line.get("kind").getAsString().equals(kind)).collect(Collectors.toList());
    }

    private static JsonObject row(JsonObject snapshot, int id) {
        for (JsonElement row : snapshot.getAsJsonArray("classes")) {
            if (row.getAsJsonObject().get("id").getAsInt() == id) {
                return row.getAsJsonObject();
            }
        }
        throw new AssertionError("no class " + id + " in " + snapshot);
    }

    private void assertTrueFigures(JsonObject snapshot) {
        JsonObject caches = row(snapshot, 0);
        JsonObject entries = row(snapshot, 1);
        assertEquals(Program.CACHES, caches.get("allocated").getAsLong());
        assertEquals(Program.CACHES, caches.get("live").getAsLong());
        assertEquals(Program.CACHES * Program.ENTRIES * 2, entries.get("allocated").getAsLong());
        assertEquals(Program.CACHES * Program.ENTRIES, entries.get("live").getAsLong());
        assertTrue(entries.get("exact").getAsBoolean());
        assertEquals(0, entries.get("live_error").getAsLong());
        assertEquals(Program.CACHES * Program.ENTRIES * 2, row(snapshot, 2).get("allocated").getAsLong());
        assertFalse(row(snapshot, 2).has("live"), "count-only classes have no live figure");
        assertEquals(entries.get("deep_bytes").getAsLong(), entries.get("shared_bytes").getAsLong(),
                "every entry is in a cache");
        assertTrue(caches.get("deep_bytes").getAsLong() > entries.get("deep_bytes").getAsLong());
        long components = 0;
        for (JsonElement c : snapshot.getAsJsonArray("components")) {
            components += c.getAsJsonObject().get("exclusive_bytes").getAsLong();
        }
        JsonObject total = snapshot.getAsJsonObject("total");
        assertEquals(total.get("measured_bytes").getAsLong(), components + snapshot.get("shared_once_bytes").getAsLong());
        assertEquals(0, total.get("off_heap_bytes").getAsLong());
        assertEquals(0, snapshot.getAsJsonObject("walk").get("closed_objects").getAsLong());
    }

    @Test
    void aSentinelThatACollectionKeepsIsReplaced() throws Exception {
        assertEquals("false\ntrue\n", run(null, "sentinel"));
    }

    @Test
    void aDumpBesideNativeCodeSaysThatItHoldsGarbage() throws Exception {
        Process process = start("", "pinned", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + folder);
        assertEquals("true\n".repeat(5) + Program.CACHES + "\n",
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals(0, process.waitFor());
        boolean skipped = Recorded.jvmSkippedCollections(Files.readString(folder.resolve("err")));
        assertTrue(skipped || Runtime.version().feature() > 21, "three threads keep the heap pinned");
        assertEquals(skipped, Recorded.tellsOfGarbageInDumps(folder.resolve("r.wbr")));
    }

    @Test
    void whatHoldsTheObjectsIsTold() throws Exception {
        run("", "request");
        JsonObject snapshot = lines("snapshot").get(0);
        JsonObject caches = row(snapshot, 0).getAsJsonObject("holders");
        assertEquals(Program.CACHES, caches.get("outside").getAsInt(), "a static field holds them");
        JsonObject entries = row(snapshot, 1).getAsJsonObject("holders");
        assertEquals(Program.CACHES * Program.ENTRIES, entries.get("examined").getAsInt());
        assertEquals(0, entries.get("outside").getAsInt());
        assertEquals("[{\"objects\":1000,\"steps\":[\"" + Program.class.getName() + "$Cache.entries\",\"java.util.HashMap.table\","
                + "\"java.util.HashMap$Node[]\",\"java.util.HashMap$Node.value\"]}]", entries.get("chains").toString());
    }

    @Test
    void aWalkWithoutRoomForAllObjectsBeginsAtFewer() throws Exception {
        assertEquals("true\n" + (Program.CACHES + Program.APART) + "\n", run(",walk_memory=512k", "apart"));
        JsonObject snapshot = lines("snapshot").get(0);
        JsonObject walk = snapshot.getAsJsonObject("walk");
        assertFalse(walk.has("stopped"), walk.toString());
        assertTrue(walk.get("roots_every").getAsInt() > 1, walk.toString());
        JsonObject entries = row(snapshot, 1);
        long live = entries.get("live").getAsLong();
        long each = entries.get("deep_bytes").getAsLong() / entries.get("met").getAsLong();
        assertEquals(1, entries.get("own_bytes").getAsDouble() / (each * live), 0.01, entries.toString());
    }

    @Test
    void objectsThatHangTogetherAreWalkedInTheFreePartOfTheHeap() throws Exception {
        assertEquals("true\n10\n", run("", "together", "-Xmx128m"));
        JsonObject snapshot = lines("snapshot").get(0);
        JsonObject walk = snapshot.getAsJsonObject("walk");
        assertFalse(walk.has("stopped") || walk.has("roots_every"), walk.toString());
        assertTrue(walk.get("objects").getAsLong() > 4 * Program.TOGETHER, walk.toString());
        assertTrue(row(snapshot, 0).get("own_bytes").getAsLong() > Program.TOGETHER * 4L * 16);
    }

    @Test
    void theLimitOfAWalkHoldsWhereFewerRootsAreOfNoUse() throws Exception {
        assertEquals("true\n10\n", run(",walk_memory=4m", "together", "-Xmx128m"));
        JsonObject snapshot = lines("snapshot").get(0);
        JsonObject walk = snapshot.getAsJsonObject("walk");
        assertEquals("memory limit: 4194304 bytes", walk.get("stopped").getAsString());
        assertFalse(row(snapshot, 0).has("own_bytes") || row(snapshot, 0).has("deep_bytes"));
        assertEquals(Program.CACHES, row(snapshot, 0).get("live").getAsLong());
    }

    @Test
    void holdersAreNotAskedForWithoutTheOption() throws Exception {
        run(",holders=false", "request");
        assertFalse(row(lines("snapshot").get(0), 1).has("holders"));
    }

    @Test
    void theKillSwitchLeavesNothingRunning() throws Exception {
        String output = run("", "disable");
        assertEquals("before true\nafter false\nreferences 0, counted 0, measured false, linked false\n10\n",
                output.replace(System.lineSeparator(), "\n"));
        assertEquals(0, Files.exists(folder.resolve("r.wbr")) ? lines("snapshot").size() : 0);
    }

    @Test
    void agesThreadsCyclesAndCostsAreWritten() throws Exception {
        run("", "request");
        JsonObject snapshot = lines("snapshot").get(0);
        JsonObject entries = row(snapshot, 1);
        assertEquals("[0,1,2,3,4,8,16]", snapshot.getAsJsonArray("age_from").toString());
        long sum = 0;
        for (JsonElement live : entries.getAsJsonArray("ages")) {
            sum += live.getAsLong();
        }
        assertEquals(entries.get("live").getAsLong(), sum);
        assertEquals(0, entries.get("since_collection").getAsLong(), "a collection was forced right before");
        assertEquals(Program.CACHES * Program.ENTRIES * 2, entries.get("last_cycle").getAsLong());
        assertTrue(entries.get("oldest_full").getAsLong() >= 1);
        assertEquals(1, entries.get("generations").getAsLong());
        assertTrue(row(snapshot, 2).get("instance_bytes").getAsLong() >= 8, "count-only classes have a size, too");
        JsonObject main = snapshot.getAsJsonArray("threads").get(0).getAsJsonObject();
        assertEquals("main", main.get("name").getAsString());
        assertEquals(Program.CACHES * (1 + Program.ENTRIES * 4), main.get("allocated").getAsLong());
        JsonObject cost = lines("footer").get(0).getAsJsonObject("cost");
        for (String key : List.of("probe_cpu_ms", "registrations", "thread_cpu_ms", "forced_pause_ms", "start_ms", "elsewhere_cpu_ms")) {
            assertTrue(cost.get(key).getAsLong() >= 0, key);
        }
        assertEquals(Program.CACHES * (1 + Program.ENTRIES * 2), cost.get("registrations").getAsLong());
    }

    @Test
    void aRequestIsMeasuredWhenItReturnsAndTheExitAfterIt() throws Exception {
        assertEquals("true\n10\n", run("", "request"));
        JsonObject header = lines("header").get(0);
        assertEquals(1, header.get("format").getAsInt());
        assertEquals("instrumentation", header.get("sizes").getAsString());
        assertEquals("instrumentation", header.get("access").getAsString());
        assertEquals(Program.class.getName(), header.getAsJsonObject("jvm").get("main").getAsString());
        JsonObject process = header.getAsJsonObject("process");
        assertEquals(ProcessId.host(), process.get("host").getAsString());
        assertEquals(ProcessId.namespace(), process.get("pid_namespace").getAsString());
        assertTrue(process.get("start_ticks").getAsLong() > ProcessId.startTicks(), "it started after this process");
        assertEquals(3, lines("class").size());
        assertEquals("[\"entries\"]", lines("class").get(0).get("fields").toString());
        assertEquals(0, lines("link").get(0).get("base").getAsInt());
        List<JsonObject> snapshots = lines("snapshot");
        assertEquals(2, snapshots.size());
        assertEquals("request", snapshots.get(0).get("reason").getAsString());
        assertEquals("the label", snapshots.get(0).get("label").getAsString());
        assertTrue(snapshots.get(0).get("collected").getAsBoolean());
        assertTrueFigures(snapshots.get(0));
        assertEquals("exit", snapshots.get(1).get("reason").getAsString());
        JsonObject footer = lines("footer").get(0);
        assertEquals(2, footer.getAsJsonObject("cost").get("snapshots").getAsInt());
    }

    @Test
    void withoutAnAgentTheFiguresAreTheSame() throws Exception {
        assertEquals("true\n10\n", run(null, "request", "--add-opens", "java.base/java.lang.invoke=ALL-UNNAMED"));
        assertEquals("opened", lines("header").get(0).get("access").getAsString());
        assertEquals("formula", lines("header").get(0).get("sizes").getAsString());
        assertTrueFigures(lines("snapshot").get(0));
    }

    @Test
    void theExitIsMeasuredAndTheExitCodeIsTheProgramsOwn() throws Exception {
        Process process = start("", "exit");
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(7, process.exitValue());
        assertEquals(1, lines("snapshot").size());
        assertTrueFigures(lines("snapshot").get(0));
    }

    @Test
    void sigtermIsMeasuredAndNamed() throws Exception {
        Process process = start("", "wait");
        assertEquals('t', process.getInputStream().read());
        process.destroy();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(143, process.exitValue());
        assertEquals("sigterm", lines("snapshot").get(1).get("reason").getAsString());
        assertEquals("sigterm", lines("footer").get(0).get("reason").getAsString());
    }

    @Test
    void aKilledJvmLeavesWhatWasMeasuredBefore() throws Exception {
        Process process = start("", "wait");
        assertEquals('t', process.getInputStream().read());
        process.destroyForcibly();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(1, lines("snapshot").size());
        assertTrueFigures(lines("snapshot").get(0));
        assertEquals(0, lines("footer").size());
    }

    @Test
    void intervalsAreMeasuredWithoutForcingCollections() throws Exception {
        run(",interval=100ms,cpu_percent=100,dumponexit=false", "interval");
        List<JsonObject> snapshots = lines("snapshot");
        assertTrue(snapshots.size() >= 2, "snapshots: " + snapshots.size());
        for (int i = 0; i < snapshots.size(); i++) {
            assertEquals("interval", snapshots.get(i).get("reason").getAsString());
            assertEquals(i + 1, snapshots.get(i).get("seq").getAsInt());
            assertFalse(snapshots.get(i).get("collected").getAsBoolean());
        }
        assertEquals(0, lines("footer").get(0).getAsJsonObject("cost").get("forced_collections").getAsInt());
    }

    @Test
    void withoutManagementBeansPeaksAreNotWatchedAndIntervalsGoOn() throws Exception {
        Process process = start(",interval=20ms,cpu_percent=100,peak=interval", "interval", "--limit-modules", "java.base,java.instrument");
        process.getInputStream().readAllBytes();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals("weighbridge: peaks are not watched: this JVM does not tell how much it allocates",
                Files.readString(folder.resolve("err")).trim());
        assertTrue(lines("snapshot").size() >= 3);
    }

    @Test
    void anAgentLeavesARecordingOfAProgramWithoutRewrittenClasses() throws Exception {
        run(",sessionid=s", "nothing");
        assertEquals("s", lines("header").get(0).get("session").getAsString());
        assertEquals(1, lines("snapshot").size());
        assertEquals(1, lines("footer").size());
    }

    @Test
    void disabledItLeavesNothing() throws Exception {
        assertEquals("silent\n", run(null, "request", "-Dweighbridge.enabled=false"));
        assertEquals("silent\n", run(",enabled=false", "request"));
        assertFalse(Files.exists(folder.resolve("r.wbr")));
    }

    @Test
    void theBeanDumpsOnRequest() throws Exception {
        String output = run(",jmx=true,gc=never", "bean");
        String nobody = "{\"v\":1,\"id\":null,\"error\":\"no agent takes requests in this JVM\"}";
        assertEquals("true\n" + folder.resolve("r.wbr") + "\n" + nobody + "\n10\n", output);
        assertEquals("by bean", lines("snapshot").get(0).get("label").getAsString());
        assertFalse(lines("snapshot").get(0).get("collected").getAsBoolean());
    }

    @Test
    void aForcedCollectionThatDoesNotHappenIsNotClaimed() throws Exception {
        run("", "request", "-XX:+DisableExplicitGC");
        assertFalse(lines("snapshot").get(0).get("collected").getAsBoolean());
    }

    @Test
    void afterAForcedCollectionTheJvmsOwnCountIsReported() throws Exception {
        for (String collector : new String[] {"Serial", "Parallel", "G1", "Z"}) {
            Files.deleteIfExists(folder.resolve("r.wbr"));
            run("", "request", "-XX:+Use" + collector + "GC");
            JsonObject row = lines("snapshot").get(0).getAsJsonArray("classes").get(0).getAsJsonObject();
            assertTrue(row.get("counted").getAsBoolean(), collector);
            assertEquals(0, row.get("live_error").getAsLong(), collector);
        }
        Files.deleteIfExists(folder.resolve("r.wbr"));
        run("", "request", "-XX:+UseG1GC", "-XX:+ExplicitGCInvokesConcurrent");
        assertFalse(lines("snapshot").get(0).getAsJsonArray("classes").get(0).getAsJsonObject().get("counted").getAsBoolean());
    }

    @Test
    void everyCollectorIsNamedAndItsCollectionsCounted() throws Exception {
        for (String collector : new String[] {"Serial", "Parallel", "G1", "Z"}) {
            Files.deleteIfExists(folder.resolve("r.wbr"));
            run("", "request", "-XX:+Use" + collector + "GC");
            String name = lines("header").get(0).getAsJsonObject("jvm").get("collector").getAsString();
            assertEquals(collector.equals("Z") ? "ZGC" : collector, name);
            JsonObject snapshot = lines("snapshot").get(0);
            assertTrue(snapshot.getAsJsonObject("collections").get("full").getAsInt() > 0, collector);
            assertTrue(snapshot.get("collected").getAsBoolean(), collector);
            assertTrueFigures(snapshot);
        }
    }
}
