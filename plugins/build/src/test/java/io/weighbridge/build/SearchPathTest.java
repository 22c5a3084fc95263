package io.weighbridge.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class SearchPathTest {
    @TempDir
    Path folder;

    @Test
    void aNameIsLookedUpOnThePathAndAPathIsNot() throws IOException {
        Path binary = Files.createFile(Files.createDirectory(folder.resolve("bin")).resolve("weighbridge"));
        String path = folder.resolve("nowhere") + ":" + binary.getParent();
        assertNull(SearchPath.find("weighbridge", folder, path), "it cannot be executed");
        binary.toFile().setExecutable(true);
        assertEquals(binary, SearchPath.find("weighbridge", folder, path));
        assertEquals(binary, SearchPath.find("bin/weighbridge", folder, null));
        assertEquals(binary, SearchPath.find(binary.toString(), folder, null));
        assertNull(SearchPath.find("weighbridge", folder, null));
        assertNull(SearchPath.find("./weighbridge", folder, path));
    }
}
