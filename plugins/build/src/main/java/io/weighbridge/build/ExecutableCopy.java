package io.weighbridge.build;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * An executable copy of an artefact.
 *
 * <p>Repositories and their local caches keep no permissions, so a binary that comes from one cannot be started. The copy is
 * in a folder whose name is the SHA-256 of its content. A copy of other content, such as one that was cut off, is
 * replaced; a whole one is used again. Processes that copy at once do not see half of a file.
 */
public final class ExecutableCopy {
    private ExecutableCopy() {}

    /**
     * Gives the executable copy of a file; makes it if it is not there.
     *
     * @param artifact the file
     * @param cache the folder of all copies
     */
    public static Path of(Path artifact, Path cache) throws IOException {
        String digest = digest(artifact);
        Path folder = cache.resolve(digest);
        // On every system: Windows starts nothing without it, and others do not mind.
        Path copy = folder.resolve("weighbridge.exe");
        if (Files.isExecutable(copy) && digest(copy).equals(digest)) {
            return copy;
        }
        Files.createDirectories(folder);
        Path whole = Files.createTempFile(folder, "weighbridge", ".part");
        try {
            Files.copy(artifact, whole, StandardCopyOption.REPLACE_EXISTING);
            if (!whole.toFile().setExecutable(true, false)) {
                throw new CliException(whole + " cannot be made executable");
            }
            Files.move(whole, copy, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(whole);
        }
        return copy;
    }

    private static String digest(Path file) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return String.format("%064x", new BigInteger(1, digest.digest()));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
