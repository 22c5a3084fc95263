package io.weighbridge.gradle;

import io.weighbridge.build.Binary;
import io.weighbridge.build.ExecutableCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.gradle.api.DefaultTask;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;

/** A task that runs the binary. Which binary is an input by its content. */
public abstract class CliTask extends DefaultTask {
    /** @return the binary, one file: an installed one, or the artifact, which is not executable */
    @InputFiles
    @PathSensitive(PathSensitivity.NONE)
    public abstract ConfigurableFileCollection getBinary();

    /** @return where executable copies of artifacts are */
    @Internal
    public abstract DirectoryProperty getCopies();

    /** The binary, known to be of the plugin's version; its warnings are the build's. */
    final Binary binary() throws IOException {
        Path file = getBinary().getSingleFile().toPath();
        Path executable = Files.isExecutable(file)
                ? file
                : ExecutableCopy.of(file, getCopies().get().getAsFile().toPath());
        return Binary.of(executable, Version.ofPlugin(), getLogger()::warn);
    }
}
