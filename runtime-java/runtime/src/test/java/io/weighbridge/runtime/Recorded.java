package io.weighbridge.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/** Reads a recording, also one that is still being written. */
public final class Recorded {
    private Recorded() {
    }

    /** A note says that a heap dump has garbage in it. */
    public static boolean tellsOfGarbageInDumps(Path file) throws Exception {
        return lines(file, "note").stream().anyMatch(n -> n.get("text").getAsString().contains("could not collect before it"));
    }

    /** The JVM wrote to standard error that it did not collect before a heap dump; nothing else may be there. */
    public static boolean jvmSkippedCollections(String error) {
        assertEquals("", error.replace("OpenJDK 64-Bit Server VM warning: GC locker is held; pre-heapdump GC was skipped\n", ""));
        return !error.isEmpty();
    }

    /** The whole lines of a kind. */
    public static List<JsonObject> lines(Path file, String kind) throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            in.transferTo(text);
        } catch (EOFException cut) {
            // The rest is not complete.
        }
        String whole = text.toString(StandardCharsets.UTF_8);
        return whole.substring(0, whole.lastIndexOf('\n') + 1).lines().map(JsonParser::parseString)
                .map(JsonElement::getAsJsonObject).filter(line -> line.get("kind").getAsString().equals(kind))
                .collect(Collectors.toList());
    }
}
