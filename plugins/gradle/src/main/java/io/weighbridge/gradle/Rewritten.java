package io.weighbridge.gradle;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.gradle.api.Transformer;
import org.gradle.api.file.Directory;
import org.gradle.api.file.FileCollection;

/** A class path with rewritten folders and jars instead of their originals, once they are there. */
final class Rewritten implements Transformer<List<File>, Directory> {
    private final FileCollection original;
    private final FileCollection sources;

    /**
     * @param original the class path
     * @param sources what of it was given to {@link InstrumentTask}
     */
    Rewritten(FileCollection original, FileCollection sources) {
        this.original = original;
        this.sources = sources;
    }

    @Override
    public List<File> transform(Directory destination) {
        Map<Path, Path> rewritten = byOriginal(sources, destination.getAsFile().toPath());
        List<File> classPath = new ArrayList<>();
        for (File file : original) {
            classPath.add(rewritten.getOrDefault(file.toPath(), file.toPath()).toFile());
        }
        return classPath;
    }

    /** Rewritten folders and jars by their originals. */
    static Map<Path, Path> byOriginal(Iterable<File> sources, Path destination) {
        Map<Path, Path> rewritten = new LinkedHashMap<>();
        InstrumentTask.sources(sources, null).byName().forEach((name, source) -> {
            Path output = destination.resolve(name);
            if (Files.exists(output)) {
                rewritten.put(source, output);
            }
        });
        return rewritten;
    }
}
