package io.weighbridge.maven;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A SHA-256 digest of texts, files and folders, in the order in which they were added.
 *
 * <p>It depends on content, never on times: a jar that was packed again with the same bytes is the same. Each part is
 * preceded by its length, so that different sequences of parts have different bytes.
 */
final class Fingerprint {
    private final MessageDigest digest;

    Fingerprint() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /** Adds a text. */
    Fingerprint add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        length(bytes.length);
        digest.update(bytes);
        return this;
    }

    /** Adds a file's bytes, the names and bytes of all files of a folder, or that there is nothing. */
    Fingerprint add(Path path) throws IOException {
        if (!Files.exists(path)) {
            return add("absent");
        }
        if (Files.isRegularFile(path)) {
            return addFile(path);
        }
        List<Path> files;
        try (Stream<Path> walk = Files.walk(path, FileVisitOption.FOLLOW_LINKS)) {
            files = walk.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
        }
        length(files.size());
        for (Path file : files) {
            add(path.relativize(file).toString().replace('\\', '/'));
            addFile(file);
        }
        return this;
    }

    private Fingerprint addFile(Path file) throws IOException {
        length(Files.size(file));
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return this;
    }

    private void length(long length) {
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(length).array());
    }

    /** The digest in hex; nothing can be added afterwards. */
    String hex() {
        return String.format("%064x", new BigInteger(1, digest.digest()));
    }
}
