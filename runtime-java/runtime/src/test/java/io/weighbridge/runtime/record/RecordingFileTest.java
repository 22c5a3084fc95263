package io.weighbridge.runtime.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.weighbridge.runtime.jvm.Notices;
import java.io.FileInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecordingFileTest {
    @TempDir
    Path folder;

    private static String unzipped(Path file) throws Exception {
        try (InputStream in = new GZIPInputStream(new FileInputStream(file.toFile()))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void membersAreReadAsOneTextAndEachIsOnDiskWhenAppendReturns() throws Exception {
        RecordingFile file = new RecordingFile(folder.resolve("deep/a.wbr").toString());
        file.append(new StringBuilder("one\n"));
        assertEquals("one\n", unzipped(file.path()));
        file.append(new StringBuilder("two \u00e4\n"));
        assertEquals("one\ntwo \u00e4\n", unzipped(file.path()));
        assertEquals(Files.size(file.path()), file.bytes());
        file.close();
    }

    @Test
    void anExistingFileIsNeverOverwritten() throws Exception {
        Path taken = Files.writeString(folder.resolve("a.wbr"), "precious");
        for (int i = 1; i <= 2; i++) {
            RecordingFile file = new RecordingFile(taken.toString());
            file.append(new StringBuilder("x\n"));
            assertEquals("a-" + i + ".wbr", file.path().getFileName().toString());
            file.close();
        }
        assertEquals("precious", Files.readString(taken));
    }

    @Test
    void anUnwritablePathBringsOneWarning() throws Exception {
        Path blocked = Files.writeString(folder.resolve("file"), "");
        RecordingFile file = new RecordingFile(blocked.resolve("a.wbr").toString());
        file.append(new StringBuilder("x\n"));
        file.append(new StringBuilder("y\n"));
        assertEquals(0, file.bytes());
        assertTrue(Notices.after(0).stream().anyMatch(n -> n.text.contains("cannot be written, going on without")));
    }

    @Test
    void patternsOfTheNameAreFilledIn() {
        assertEquals(ProcessHandle.current().pid() + "-%-%x", RecordingFile.expand("%p-%%-%x"));
        assertTrue(RecordingFile.expand("%t").matches("\\d{8}-\\d{6}"));
    }

    @Test
    void anyTextSurvivesTheWayThroughJson() {
        String text = "quote \" backslash \\ newline \n bell \u0007 umlaut \u00fc astral \ud83d\ude00";
        StringBuilder line = new StringBuilder();
        new Json(line).line("note").field("text", text).field("n", Long.MAX_VALUE).field("absent", (String) null)
                .field("list", List.of("a", "b")).open("o").close().field("yes", true).endLine();
        JsonObject object = JsonParser.parseString(line.toString()).getAsJsonObject();
        assertEquals(text, object.get("text").getAsString());
        assertEquals(Long.MAX_VALUE, object.get("n").getAsLong());
        assertFalse(object.has("absent"));
        assertEquals(2, object.get("list").getAsJsonArray().size());
        assertTrue(object.get("yes").getAsBoolean());
        assertTrue(line.toString().endsWith("}\n"));
    }

    /** Strict parsers, the reader's among them, refuse the escape of half a character, and the whole snapshot with it. */
    @Test
    void halfACharacterIsWrittenAsText() {
        StringBuilder line = new StringBuilder();
        new Json(line).line("note").field("text", "cut \ud83d, \ude00\ud83d\ud83d\ude00").endLine();
        assertEquals("{\"kind\":\"note\",\"text\":\"cut \\\\ud83d, \\\\ude00\\\\ud83d\ud83d\ude00\"}\n", line.toString());
    }
}
