package io.weighbridge.build;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Class files of a folder or a jar. */
final class ClassFiles {
    private static final String SUFFIX = ".class";

    private ClassFiles() {}

    /**
     * Reads classes by name.
     *
     * @param names in internal form; a version of a Multi-Release jar has the name of its class
     * @param source a folder or a jar
     * @return bytes by entry
     */
    static Map<String, byte[]> named(Set<String> names, Path source) throws IOException {
        if (Files.isDirectory(source)) {
            return below(source, names);
        }
        try (FileSystem jar = FileSystems.newFileSystem(source, (ClassLoader) null)) {
            return below(jar.getPath("/"), names);
        }
    }

    private static Map<String, byte[]> below(Path root, Set<String> names) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(file -> file.toString().endsWith(SUFFIX)).collect(Collectors.toList());
        }
        Map<String, byte[]> found = new HashMap<>();
        for (Path file : files) {
            String entry = root.relativize(file).toString().replace('\\', '/');
            String name = entry.replaceFirst("^META-INF/versions/[0-9]+/", "");
            if (names.contains(name.substring(0, name.length() - SUFFIX.length()))) {
                found.put(entry, Files.readAllBytes(file));
            }
        }
        return found;
    }
}
