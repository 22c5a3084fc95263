package io.weighbridge.maven;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.maven.artifact.Artifact;

/**
 * The sources of one call of {@code weighbridge instrument}, each with a unique name.
 *
 * <p>The command writes every source under its own name into one folder. All folders of classes are called
 * {@code classes}, and jars of two groups may share a name. The second of a name is copied under a name made of its
 * coordinates.
 */
final class Sources {
    private final Path staging;
    private final Map<String, Path> byName = new LinkedHashMap<>();

    /** @param staging where copies go; nothing else may be there */
    Sources(Path staging) {
        this.staging = staging;
    }

    /** Adds a folder of classes or a jar under its own name. Gives the name. */
    String add(Path path) {
        String name = path.getFileName().toString();
        if (byName.putIfAbsent(name, path) != null) {
            throw new IllegalStateException("two sources of the name " + name);
        }
        return name;
    }

    /** Adds a dependency. Its file is given too, for Maven's may be a rewritten one. Gives the name. */
    String add(Artifact artifact, Path path) {
        String name = path.getFileName().toString();
        if (byName.putIfAbsent(name, path) == null) {
            return name;
        }
        String unique = Stream.of(
                        artifact.getGroupId(),
                        artifact.getArtifactId(),
                        artifact.getBaseVersion(),
                        artifact.getClassifier())
                .filter(Objects::nonNull)
                .reduce((left, right) -> left + "-" + right)
                .orElseThrow();
        String suffix = Files.isDirectory(path) ? "" : ".jar";
        if (byName.putIfAbsent(unique + suffix, path) != null) {
            throw new IllegalStateException("the dependency " + artifact + " is there twice");
        }
        return unique + suffix;
    }

    /** Sources by name, in the order in which they were added. */
    Map<String, Path> byName() {
        return byName;
    }

    /** Deletes the copies. */
    void unstage() throws IOException {
        Folders.delete(staging);
    }

    /** Copies what needs another name. Gives the command's inputs by name. */
    Map<String, Path> staged() throws IOException {
        unstage();
        Map<String, Path> staged = new LinkedHashMap<>();
        for (Map.Entry<String, Path> source : byName.entrySet()) {
            Path path = source.getValue();
            if (!path.getFileName().toString().equals(source.getKey())) {
                Path copy = staging.resolve(source.getKey());
                Folders.copy(path, copy);
                path = copy;
            }
            staged.put(source.getKey(), path);
        }
        return staged;
    }
}
