package io.weighbridge.maven;

import io.weighbridge.build.CliArtifact;
import io.weighbridge.build.CliException;
import io.weighbridge.build.ExecutableCopy;
import io.weighbridge.build.SearchPath;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.project.MavenProject;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;

/** Finds the binary: where the build says, on the {@code PATH}, or in the repositories of the build. */
final class Cli {
    /** How a build says where the binary is. */
    static final String SETTING = "-Dweighbridge.executable=FILE";

    private Cli() {}

    /**
     * Finds the binary.
     *
     * @param named as the parameter {@code executable}
     * @throws CliException if there is none
     */
    static Path find(String named, MavenProject project, MavenSession session, RepositorySystem repositories, String version)
            throws IOException {
        Path installed = SearchPath.find(named, project.getBasedir().toPath(), System.getenv("PATH"));
        if (installed != null) {
            return installed;
        }
        if (!named.equals(SearchPath.DEFAULT)) {
            throw new CliException("no executable `" + named + "`" + (SearchPath.isName(named) ? " on the PATH" : "")
                    + ": install Weighbridge " + version + ", or say where it is with " + SETTING);
        }
        Path cache = session.getRepositorySession().getLocalRepository().getBasedir().toPath().resolve(".cache/weighbridge");
        return ExecutableCopy.of(resolve(project, session, repositories, version), cache);
    }

    /** Plugin repositories come first, since this plugin is from there. Maven sees to offline builds and mirrors. */
    private static Path resolve(
            MavenProject project, MavenSession session, RepositorySystem repositories, String version) throws CliException {
        Artifact artifact = new DefaultArtifact(
                CliArtifact.GROUP, CliArtifact.NAME, CliArtifact.classifier(), CliArtifact.EXTENSION, version);
        List<RemoteRepository> from = new ArrayList<>(project.getRemotePluginRepositories());
        from.addAll(project.getRemoteProjectRepositories());
        try {
            return repositories
                    .resolveArtifact(session.getRepositorySession(), new ArtifactRequest(artifact, from, "weighbridge"))
                    .getArtifact()
                    .getFile()
                    .toPath();
        } catch (ArtifactResolutionException e) {
            throw CliArtifact.missing(version, e.getMessage(), SETTING);
        }
    }
}
