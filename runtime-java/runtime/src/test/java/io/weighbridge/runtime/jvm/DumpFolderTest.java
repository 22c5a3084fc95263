package io.weighbridge.runtime.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

class DumpFolderTest {
    @Test
    void isOnlyItsOwnersAndGoesWithAllThatIsInIt() throws Exception {
        assumeTrue(FileSystems.getDefault().supportedFileAttributeViews().contains("posix"));
        DumpFolder folder = new DumpFolder();
        Path path = folder.dump().getParent();
        try {
            DumpFolder other = new DumpFolder();
            other.delete();
            assertNotEquals(path, other.dump().getParent());
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            assertNull(folder.refusal());
            Files.writeString(folder.dump(), "a dump");
            Files.writeString(path.resolve("answer.json"), "a part");
        } finally {
            folder.delete();
        }
        assertFalse(Files.exists(path));
        folder.delete();
    }
}
