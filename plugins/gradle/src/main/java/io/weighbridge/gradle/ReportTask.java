package io.weighbridge.gradle;

import io.weighbridge.build.Binary;
import io.weighbridge.build.Folders;
import io.weighbridge.build.ReportFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.IgnoreEmptyDirectories;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.SkipWhenEmpty;
import org.gradle.api.tasks.TaskAction;

/** Writes what the recordings of a project's tests say, all JVMs together. */
@CacheableTask
public abstract class ReportTask extends CliTask {
    /** @return recordings */
    @InputFiles
    @SkipWhenEmpty
    @IgnoreEmptyDirectories
    @PathSensitive(PathSensitivity.RELATIVE)
    public abstract ConfigurableFileCollection getRecordings();

    /** @return formats, as {@code weighbridge report -o} knows them */
    @Input
    public abstract ListProperty<String> getFormats();

    /** @return {@code report.txt}, {@code report.json} and so on */
    @OutputDirectory
    public abstract DirectoryProperty getDestination();

    /** Writes the reports. */
    @TaskAction
    void report() throws IOException {
        Path folder = getDestination().get().getAsFile().toPath();
        Folders.delete(folder);
        Files.createDirectories(folder);
        // A report has the names of its recordings: relative ones, so that a cached report fits every checkout.
        List<String> recordings = getRecordings().getFiles().stream()
                .map(file -> folder.relativize(file.toPath()).toString())
                .sorted()
                .collect(Collectors.toList());
        Binary binary = binary().in(folder);
        for (String format : getFormats().get()) {
            Path file = folder.resolve(ReportFiles.name(format));
            List<String> arguments = new ArrayList<>(List.of("report"));
            arguments.addAll(recordings);
            arguments.addAll(List.of("-o", format, "-f", file.getFileName().toString()));
            Binary.Result result = binary.run(arguments);
            // A recording that cannot be read is named in a warning; the report is of the others.
            result.successful(Files.exists(file) ? Binary.INPUT : 0);
            getLogger().lifecycle("Report: {}", file);
        }
    }
}
