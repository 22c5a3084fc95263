package io.weighbridge.runtime.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.weighbridge.runtime.Recorded;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stacks of construction sites, in JVMs of their own. */
final class AllocationSitesTest {
    private static final String PROGRAM = SitesProgram.class.getName();
    @TempDir
    Path folder;

    /** The sites of the snapshot at exit. */
    private JsonObject run(int sites, String... arguments) throws Exception {
        String jar = System.getProperty("runtime.jar");
        Path recording = folder.resolve("sites-" + sites + ".wbr");
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-javaagent:" + jar + "=references=100000,sites=" + sites + ",destfile=" + recording, "-cp",
                String.join(File.pathSeparator, jar, System.getProperty("test.classes")), PROGRAM));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(folder.resolve("out").toFile()).start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals("", Files.readString(folder.resolve("out")));
        List<JsonObject> lines = Recorded.lines(recording, "sites");
        return lines.get(lines.size() - 1);
    }

    private static List<JsonObject> cut(JsonObject sites) {
        List<JsonObject> cut = new ArrayList<>();
        for (JsonElement node : sites.getAsJsonArray("nodes")) {
            if (node.getAsJsonObject().has("cut")) {
                cut.add(node.getAsJsonObject());
            }
        }
        return cut;
    }

    @Test
    void theOutermostFrameKeptOfALongerStackIsMarkedAsCutAndThatOfAWholeOneIsNot() throws Exception {
        // TestJar.live, make, deep twelve times, main.
        assertEquals(0, cut(run(15, "11")).size());
        List<JsonObject> cut = cut(run(14, "11"));
        assertEquals(1, cut.size());
        assertEquals(PROGRAM + ".deep", cut.get(0).get("frame").getAsString());
        assertTrue(!cut.get(0).has("parent") && cut.get(0).get("cut").getAsBoolean());
    }

    @Test
    void aStackForWhichTheTreeHasNoRoomSaysSoAtItsEnd() throws Exception {
        JsonObject sites = run(100, "0", "full");
        Map<Integer, String> frames = new HashMap<>();
        for (JsonElement node : sites.getAsJsonArray("nodes")) {
            frames.put(node.getAsJsonObject().get("id").getAsInt(), node.getAsJsonObject().get("frame").getAsString());
        }
        long whole = 0;
        long broken = 0;
        for (JsonElement object : sites.getAsJsonArray("objects")) {
            String frame = frames.get(object.getAsJsonObject().get("site").getAsInt());
            long objects = object.getAsJsonObject().get("objects").getAsLong();
            whole += frame.equals("io.weighbridge.runtime.TestJar.live") ? objects : 0;
            broken += frame.equals(AllocationSites.FULL) ? objects : 0;
        }
        assertTrue(whole > 0 && broken > 0);
        assertEquals(1 + (2L << SitesProgram.LEVELS), whole + broken);
    }
}
