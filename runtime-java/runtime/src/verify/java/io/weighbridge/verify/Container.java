package io.weighbridge.verify;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSigner;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An archive or a folder: names and bytes. Open until the JVM ends. */
abstract class Container {
    abstract List<String> names();

    /** @throws SecurityException if the entry is signed and its content is not what was signed */
    abstract Content read(String name) throws IOException;

    /** A class file, and who signed it. */
    static final class Content {
        final byte[] bytes;
        /** Null if nobody did. */
        final CodeSigner[] signers;

        Content(byte[] bytes, CodeSigner[] signers) {
            this.bytes = bytes;
            this.signers = signers;
        }
    }

    static Container open(Path path) throws IOException {
        return Files.isDirectory(path) ? new Folder(path) : new Archive(path);
    }

    private static final class Archive extends Container {
        private final JarFile jar;

        Archive(Path path) throws IOException {
            jar = new JarFile(path.toFile(), true);
        }

        @Override
        List<String> names() {
            return jar.stream().map(JarEntry::getName).distinct().collect(Collectors.toList());
        }

        @Override
        Content read(String name) throws IOException {
            JarEntry entry = jar.getJarEntry(name);
            if (entry == null) {
                throw new IOException("the JVM does not find the entry " + name);
            }
            try (InputStream in = jar.getInputStream(entry)) {
                byte[] bytes = in.readAllBytes();
                // Known only after all is read.
                return new Content(bytes, entry.getCodeSigners());
            }
        }
    }

    private static final class Folder extends Container {
        private final Path root;

        Folder(Path root) {
            this.root = root;
        }

        @Override
        List<String> names() {
            try (Stream<Path> files = Files.walk(root)) {
                return files.filter(Files::isRegularFile).map(file -> root.relativize(file).toString().replace('\\', '/'))
                        .sorted().collect(Collectors.toList());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        Content read(String name) throws IOException {
            return new Content(Files.readAllBytes(root.resolve(name)), null);
        }
    }
}
