package io.weighbridge.build;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

/** Looks for an installed binary. */
public final class SearchPath {
    /** The name of the binary where a build gives none. */
    public static final String DEFAULT = "weighbridge";

    private SearchPath() {}

    /** Whether a text is a name to look for, and not a path. */
    public static boolean isName(String named) {
        return Path.of(named).getNameCount() == 1 && !named.startsWith(".") && !Path.of(named).isAbsolute();
    }

    /**
     * Looks for a binary.
     *
     * @param named a name, looked up in {@code searchPath}, or a path, relative ones from {@code base}
     * @param searchPath folders separated as in {@code PATH}; may be null
     * @return an executable file, or null if there is none
     */
    public static Path find(String named, Path base, String searchPath) {
        Stream<Path> folders = isName(named)
                ? Stream.of(Objects.requireNonNullElse(searchPath, "").split(File.pathSeparator))
                        .filter(folder -> !folder.isEmpty())
                        .map(base::resolve)
                : Stream.of(base);
        return folders.flatMap(folder -> Stream.of(folder.resolve(named), folder.resolve(named + ".exe")))
                .map(Path::normalize)
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .orElse(null);
    }
}
