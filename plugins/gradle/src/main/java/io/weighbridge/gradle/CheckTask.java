package io.weighbridge.gradle;

import io.weighbridge.build.Budgets;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.gradle.api.GradleException;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.IgnoreEmptyDirectories;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

/** Compares what the tests left alive with the memory budgets of the configuration. A broken budget breaks the build. */
@CacheableTask
public abstract class CheckTask extends CliTask {
    /** @return recordings */
    @InputFiles
    @IgnoreEmptyDirectories
    @PathSensitive(PathSensitivity.RELATIVE)
    public abstract ConfigurableFileCollection getRecordings();

    /** @return the folders of the recordings */
    @Internal
    public abstract ConfigurableFileCollection getFolders();

    /** @return the configuration with the budgets; messages have its name */
    @InputFile
    @PathSensitive(PathSensitivity.NAME_ONLY)
    public abstract RegularFileProperty getConfig();

    /** @return what budgets with {@code max_increase} are relative to */
    @Optional
    @InputFile
    @PathSensitive(PathSensitivity.NAME_ONLY)
    public abstract RegularFileProperty getBaseline();

    /** @return whether a broken budget breaks the build */
    @Input
    public abstract Property<Boolean> getHaltOnFailure();

    /** @return the verdicts, in the form of JUnit reports */
    @OutputFile
    public abstract RegularFileProperty getJunit();

    /** Checks. */
    @TaskAction
    void check() throws IOException {
        List<Path> recordings =
                getRecordings().getFiles().stream().map(File::toPath).sorted().collect(Collectors.toList());
        if (recordings.isEmpty()) {
            // The folder is there if tests ran: what was not measured is not within a budget.
            if (getFolders().getFiles().stream().anyMatch(File::isDirectory)) {
                throw new GradleException("no budget was checked: the tests left no recording");
            }
            getLogger().lifecycle("No budget is checked: no test ran");
            return;
        }
        Path baseline = getBaseline().isPresent() ? getBaseline().get().getAsFile().toPath() : null;
        Budgets budgets = Budgets.check(
                binary(),
                recordings,
                getConfig().get().getAsFile().toPath(),
                baseline,
                getJunit().get().getAsFile().toPath());
        if (budgets.broken() && getHaltOnFailure().get()) {
            throw new GradleException(budgets.failure());
        }
        budgets.tell(getLogger()::warn, getLogger()::lifecycle);
    }
}
