package io.weighbridge.gradle;

import io.weighbridge.build.Coverage;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.gradle.api.Action;
import org.gradle.api.GradleException;
import org.gradle.api.Task;
import org.gradle.api.file.FileCollection;
import org.gradle.testing.jacoco.plugins.JacocoTaskExtension;

/** Lets what JaCoCo recorded of rewritten classes hold for the originals, after the tests. */
final class KeptCoverage implements Action<Task> {
    private final File recorded;
    private final FileCollection sources;
    private final File destination;

    private KeptCoverage(File recorded, FileCollection sources, File destination) {
        this.recorded = recorded;
        this.sources = sources;
        this.destination = destination;
    }

    /**
     * The action for the tests that JaCoCo watches; null if it does not.
     *
     * @throws GradleException if JaCoCo's agent does not write to a file
     */
    static KeptCoverage of(Task test, FileCollection sources, File destination) {
        JacocoTaskExtension jacoco = test.getExtensions().findByType(JacocoTaskExtension.class);
        if (jacoco == null || !jacoco.isEnabled()) {
            return null;
        }
        if (jacoco.getOutput() != JacocoTaskExtension.Output.FILE || jacoco.getDestinationFile() == null) {
            throw new GradleException(test.getPath() + ": JaCoCo's coverage of rewritten classes would be lost: let its agent"
                    + " write to a file, or measure coverage with -Pweighbridge.skip");
        }
        return new KeptCoverage(jacoco.getDestinationFile(), sources, destination);
    }

    @Override
    public void execute(Task task) {
        if (!recorded.isFile()) {
            return;
        }
        Map<Path, Path> originals = new LinkedHashMap<>();
        Rewritten.byOriginal(sources, destination.toPath()).forEach((original, output) -> originals.put(output, original));
        try {
            if (Files.size(recorded.toPath()) > 0) {
                int classes = Coverage.translate(recorded.toPath(), originals);
                task.getLogger().info("JaCoCo's data of {} rewritten classes holds for the originals", classes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }
}
