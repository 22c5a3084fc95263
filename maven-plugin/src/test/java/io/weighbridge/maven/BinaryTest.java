package io.weighbridge.maven;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.logging.SystemStreamLog;
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
    void aNameIsLookedUpOnThePathAndAPathIsNot() throws Exception {
        Path bin = Files.createDirectory(folder.resolve("bin"));
        script(bin.resolve("weighbridge"), "echo weighbridge " + VERSION);
        find("weighbridge", folder.resolve("nowhere") + ":" + bin);
        find("bin/weighbridge", null);
        find(bin.resolve("weighbridge").toString(), null);
        assertEquals(
                "no executable `weighbridge` on the PATH: install Weighbridge 1.2.3, or say where it is with"
                        + " -Dweighbridge.executable=FILE",
                refused("weighbridge", folder.toString()));
        assertEquals(
                "no executable `./weighbridge`: install Weighbridge 1.2.3, or say where it is with"
                        + " -Dweighbridge.executable=FILE",
                refused("./weighbridge", bin.toString()));
    }

    @Test
    void anotherVersionIsRefusedAndNamed() throws IOException {
        Path script = script(folder.resolve("w"), "echo weighbridge 1.2.4");
        assertEquals(
                script + " says it is `weighbridge 1.2.4`; this plugin needs weighbridge 1.2.3", refused("./w", null));
    }

    @Test
    void aBinaryThatDoesNotStartIsNamed() throws IOException {
        Path script = Files.writeString(folder.resolve("w"), "#!/nowhere/sh\n");
        executable(script);
        String expected = script + " cannot be run: ";
        assertEquals(expected, refused("./w", null).substring(0, expected.length()));
    }

    @Test
    void warningsAndErrorsAreToldApart() throws Exception {
        script(
                folder.resolve("w"),
                "[ $1 = --version ] && echo weighbridge " + VERSION + " && exit",
                "echo 'weighbridge: warning: half' >&2; echo 'weighbridge: error: whole' >&2; echo said; exit 3");
        List<String> warnings = new ArrayList<>();
        Binary.Result result = find("./w", null).run(List.of("report"), warnings::add);
        assertEquals(List.of("half"), warnings);
        assertEquals("said\n", result.output);
        assertEquals(result, result.successful(Binary.INPUT));
        MojoExecutionException failure = assertThrows(MojoExecutionException.class, result::successful);
        assertEquals("weighbridge: error: whole", failure.getMessage());
    }

    private Binary find(String named, String searchPath) throws MojoExecutionException {
        return Binary.find(named, folder, searchPath, VERSION, new SystemStreamLog());
    }

    private String refused(String named, String searchPath) {
        return assertThrows(MojoExecutionException.class, () -> find(named, searchPath)).getMessage();
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
