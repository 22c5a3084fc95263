package io.weighbridge.build;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Files and folders, copied and deleted whole. */
public final class Folders {
    private Folders() {}

    /** Deletes a file or a folder with all in it; nothing happens if there is none. Links are not followed. */
    public static void delete(Path path) throws IOException {
        if (!Files.isDirectory(path) || Files.isSymbolicLink(path)) {
            Files.deleteIfExists(path);
            return;
        }
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
                Files.delete(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Copies a file or a folder to a path where nothing is. */
    public static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        List<Path> all;
        try (Stream<Path> walk = Files.walk(from)) {
            all = walk.collect(Collectors.toList());
        }
        for (Path path : all) {
            Files.copy(path, to.resolve(from.relativize(path).toString()));
        }
    }
}
