package io.weighbridge.gradle;

import io.weighbridge.build.Folders;
import io.weighbridge.build.Sources;
import io.weighbridge.build.Summary;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

/**
 * Rewrites what the tests of one task run on, so that their objects register.
 *
 * <p>All of it goes into one call, because classes of one jar may extend classes of another. A folder or jar in which no class
 * matches has no rewritten form.
 */
@CacheableTask
public abstract class InstrumentTask extends CliTask {
    /** The runtime beside the rewritten classes. */
    static final String RUNTIME = "weighbridge-runtime.jar";

    /** @return which classes register their objects */
    @InputFile
    @PathSensitive(PathSensitivity.NONE)
    public abstract RegularFileProperty getConfig();

    /** @return folders of classes and jars; a class path, since the times in a jar are those of the checkout's build */
    @Classpath
    public abstract ConfigurableFileCollection getSources();

    /** @return the rewritten folders and jars, and the runtime */
    @OutputDirectory
    public abstract DirectoryProperty getDestination();

    /** @return the name of each source in the destination, which the content of a class path does not tell */
    @Input
    public List<String> getNames() {
        return new ArrayList<>(sources(getSources(), null).byName().keySet());
    }

    /**
     * Names the files of a class path in their order. The second of a name gets its index before it.
     *
     * @param staging where copies under other names go; null if none are made
     */
    static Sources sources(Iterable<File> files, Path staging) {
        Sources sources = new Sources(staging);
        int index = 0;
        for (File file : files) {
            if (file.exists()) {
                sources.add(file.toPath(), index + "-" + file.getName());
            }
            index++;
        }
        return sources;
    }

    /** Rewrites. */
    @TaskAction
    void instrument() throws IOException {
        Path destination = getDestination().get().getAsFile().toPath();
        Folders.delete(destination);
        Sources sources = sources(getSources(), getTemporaryDir().toPath().resolve("staged"));
        Summary.instrument(binary().warning(getLogger()::info), sources, getConfig().get().getAsFile().toPath(), destination)
                .tell(getLogger()::warn, getLogger()::lifecycle);
    }
}
