package io.weighbridge.runtime;

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
final class Recorded {
    private Recorded() {
    }

    /** The whole lines of a kind. */
    static List<JsonObject> lines(Path file, String kind) throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            in.transferTo(text);
        } catch (EOFException cut) {
            // Up to there.
        }
        String whole = text.toString(StandardCharsets.UTF_8);
        return whole.substring(0, whole.lastIndexOf('\n') + 1).lines().map(JsonParser::parseString)
                .map(JsonElement::getAsJsonObject).filter(line -> line.get("kind").getAsString().equals(kind))
                .collect(Collectors.toList());
    }
}
