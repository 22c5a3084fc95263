package io.weighbridge.runtime.jvm;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A heap dump that another process reads soon, in a new folder that only its owner can open. */
public final class DumpFolder {
    /** An HPROF file is about as large as the objects in it; files before it and others need room, too. */
    private static final int ROOM = 2;
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private final Path folder;

    /**
     * Makes the folder among the temporary ones. {@link Files#createTempDirectory} would start a {@code SecureRandom}, whose
     * two open files stay for as long as the JVM runs.
     */
    public DumpFolder() throws IOException {
        Path parent = Path.of(System.getProperty("java.io.tmpdir"));
        folder = Files.createDirectory(parent.resolve("weighbridge-dump-" + Randomness.identity()), PRIVATE);
    }

    /** Where the dump will be. */
    public Path dump() {
        return folder.resolve("heap.hprof");
    }

    /** Why no dump can be written there, or null. */
    public String refusal() throws IOException {
        return hasRoom(folder) ? null : "the disk of " + folder.getParent() + " has too little room for a heap dump";
    }

    /** Whether a dump of the heap as it is finds room there. */
    public static boolean hasRoom(Path folder) throws IOException {
        return Files.getFileStore(folder).getUsableSpace() >= HeapUse.used() * ROOM;
    }

    /** Deletes it with all that is in it: a reader that was ended may have left a part of its answer. */
    public void delete() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (IOException | RuntimeException left) {
            // The next dump has a folder of its own.
        }
    }
}
