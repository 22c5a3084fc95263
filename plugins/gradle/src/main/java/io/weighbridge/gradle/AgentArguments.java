package io.weighbridge.gradle;

import java.util.ArrayList;
import java.util.List;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.process.CommandLineArgumentProvider;

/**
 * The arguments of test JVMs. The runtime and its options decide about recordings as the classes do, so they are inputs; where
 * they are is none, so that results of another checkout fit.
 */
public abstract class AgentArguments implements CommandLineArgumentProvider {
    /** @return the runtime */
    @InputFile
    @PathSensitive(PathSensitivity.NONE)
    public abstract RegularFileProperty getRuntime();

    /** @return where recordings go */
    @Internal
    public abstract DirectoryProperty getRecordings();

    /** @return the name of the program in recordings */
    @Input
    public abstract Property<String> getSession();

    /** @return options of the runtime */
    @Input
    public abstract MapProperty<String, String> getOptions();

    @Override
    public Iterable<String> asArguments() {
        String session = getSession().get();
        List<String> arguments = new ArrayList<>();
        arguments.add("-javaagent:" + getRuntime().get());
        // As properties: an agent's argument cannot hold every path.
        arguments.add("-Dweighbridge.destfile=" + getRecordings().file(session + "-%p.wbr").get());
        arguments.add("-Dweighbridge.sessionid=" + session);
        getOptions().get().forEach((key, value) -> arguments.add("-Dweighbridge." + key + "=" + value));
        return arguments;
    }
}
