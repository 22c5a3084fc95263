package io.weighbridge.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The binary is a shell script that says what a test wants to hear. */
@DisabledOnOs(OS.WINDOWS)
class BinaryTest {
    private static final String VERSION = "1.2.3";

    @TempDir
    Path folder;

    @Test
    void anotherVersionIsRefusedAndNamed() throws IOException {
        Path script = script(folder.resolve("w"), "echo weighbridge 1.2.4");
        assertEquals(
                script + " says it is `weighbridge 1.2.4`; this plugin needs weighbridge 1.2.3", refused(script));
    }

    @Test
    void aBinaryThatDoesNotStartIsNamed() throws IOException {
        Path script = Files.writeString(folder.resolve("w"), "#!/nowhere/sh\n");
        executable(script);
        String expected = script + " cannot be run: ";
        assertEquals(expected, refused(script).substring(0, expected.length()));
    }

    @Test
    void warningsAndErrorsAreToldApart() throws Exception {
        Path w = script(
                folder.resolve("w"),
                "[ $1 = --version ] && echo weighbridge " + VERSION + " && exit",
                "echo 'weighbridge: warning: half' >&2; echo 'weighbridge: error: whole' >&2; echo said; exit 3");
        List<String> warnings = new ArrayList<>();
        Binary.Result result = Binary.of(w, VERSION, warnings::add).run(List.of("report"));
        assertEquals(List.of("half"), warnings);
        assertEquals("said\n", result.output);
        assertEquals(result, result.successful(Binary.INPUT));
        CliException failure = assertThrows(CliException.class, result::successful);
        assertEquals("weighbridge: error: whole", failure.getMessage());
    }

    @Test
    void relativePathsCountFromTheGivenFolder() throws Exception {
        Path w = script(folder.resolve("w"), "[ $1 = --version ] && echo weighbridge " + VERSION + " && exit", "pwd -P");
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        String said = Binary.of(w, VERSION, warning -> {}).in(elsewhere).run(List.of("report")).output;
        assertEquals(elsewhere.toRealPath() + "\n", said);
    }

    private static String refused(Path executable) {
        return assertThrows(CliException.class, () -> Binary.of(executable, VERSION, warning -> {})).getMessage();
    }

    private static Path script(Path file, String... lines) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        executable(file);
        return file;
    }

    private static void executable(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
