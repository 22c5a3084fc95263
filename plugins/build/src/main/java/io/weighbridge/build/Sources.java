package io.weighbridge.build;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The sources of one call of {@code weighbridge instrument}, each with a unique name.
 *
 * <p>The command writes every source under its own name into one folder. All folders of classes are called
 * {@code classes}, and jars of two groups may share a name. The second of a name is copied under a name that its
 * user gives.
 */
public final class Sources {
    private final Path staging;
    private final Map<String, Path> byName = new LinkedHashMap<>();

    /** @param staging where copies go; nothing else may be there */
    public Sources(Path staging) {
        this.staging = staging;
    }

    /** Adds a folder of classes or a jar under its own name. Gives the name. */
    public String add(Path path) {
        return add(path, path.getFileName().toString());
    }

    /** Adds a folder of classes or a jar, under another name if its own is taken. Gives the name. */
    public String add(Path path, String otherwise) {
        String name = path.getFileName().toString();
        if (byName.putIfAbsent(name, path) == null) {
            return name;
        }
        if (byName.putIfAbsent(otherwise, path) != null) {
            throw new IllegalStateException("two sources of the name " + otherwise);
        }
        return otherwise;
    }

    /** Sources by name, in the order in which they were added. */
    public Map<String, Path> byName() {
        return byName;
    }

    /** Deletes the copies. */
    public void unstage() throws IOException {
        Folders.delete(staging);
    }

    /** Copies what needs another name. Gives the command's inputs by name. */
    public Map<String, Path> staged() throws IOException {
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
