package io.weighbridge.gradle;

import io.weighbridge.build.CliArtifact;
import io.weighbridge.build.CliException;
import io.weighbridge.build.SearchPath;
import java.io.File;
import java.util.Set;
import java.util.concurrent.Callable;
import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.provider.Provider;

/** Finds the binary: where the build says, on the {@code PATH}, or in the repositories of the project. */
final class CliFile implements Callable<Object> {
    /** The configuration with the artifact. */
    private static final String CONFIGURATION = "weighbridgeCli";

    private static final String SETTING = "-Pweighbridge.executable=FILE";

    private final Provider<String> named;
    private final Provider<String> installed;
    private final Configuration artifact;
    private final boolean offline;

    private CliFile(Provider<String> named, Provider<String> installed, Configuration artifact, boolean offline) {
        this.named = named;
        this.installed = installed;
        this.artifact = artifact;
        this.offline = offline;
    }

    /** The binary of a project, looked for when it is needed. */
    static CliFile of(Project project, WeighbridgeExtension extension) {
        Configuration artifact = project.getConfigurations().create(CONFIGURATION, configuration -> {
            configuration.setDescription("The binary of Weighbridge, for builds on machines where it is not installed.");
            configuration.setCanBeConsumed(false);
            configuration.setTransitive(false);
        });
        String notation = CliArtifact.GROUP + ":" + CliArtifact.NAME + ":" + Version.ofPlugin() + ":"
                + CliArtifact.classifier() + "@" + CliArtifact.EXTENSION;
        artifact.defaultDependencies(all -> all.add(project.getDependencies().create(notation)));
        Provider<String> installed = project.getProviders().of(Installed.class, source -> {
            source.getParameters().getNamed().set(extension.getExecutable());
            source.getParameters().getBase().set(project.getLayout().getProjectDirectory());
        });
        boolean offline = project.getGradle().getStartParameter().isOffline();
        return new CliFile(extension.getExecutable(), installed, artifact, offline);
    }

    @Override
    public Object call() {
        if (installed.isPresent()) {
            return new File(installed.get());
        }
        String name = named.get();
        if (!name.equals(SearchPath.DEFAULT)) {
            throw new GradleException("no executable `" + name + "`" + (SearchPath.isName(name) ? " on the PATH" : "")
                    + ": install Weighbridge " + Version.ofPlugin() + ", say where it is with " + SETTING
                    + ", or build without it with -Pweighbridge.skip");
        }
        Set<File> files = artifact.getIncoming().artifactView(view -> view.setLenient(true)).getFiles().getFiles();
        if (files.isEmpty()) {
            CliException missing = CliArtifact.missing(
                    Version.ofPlugin(), offline ? "this build is offline" : "none of them has it", SETTING);
            throw new GradleException(missing.getMessage(), missing);
        }
        return files;
    }
}
