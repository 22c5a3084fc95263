package io.weighbridge.maven;

import io.weighbridge.build.Binary;
import io.weighbridge.build.CliException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.inject.Inject;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugin.descriptor.PluginDescriptor;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;
import org.eclipse.aether.RepositorySystem;

/** What all goals share: parameters, and the binary that they call. */
abstract class WeighbridgeMojo extends AbstractMojo {
    /** Name of the configuration where none is given. */
    private static final String CONFIG = "weighbridge.toml";

    /** Why this build measures nothing in the module, in the module's context. */
    private static final String UNMEASURED = "io.weighbridge.unmeasured";

    /** Whose tests ran without the plugin's arguments, in the module's context. */
    private static final String OVERRIDDEN = "io.weighbridge.overridden";

    /**
     * The <code>weighbridge</code> binary: a name that is looked up on the <code>PATH</code>, or a path (a relative one
     * counts from the module). It must be of the plugin's own version. If nothing is set and there is none on the
     * <code>PATH</code>, the artifact <code>io.weighbridge:weighbridge-cli</code> of the plugin's version is resolved from
     * the repositories of the build.
     */
    @Parameter(property = "weighbridge.executable", defaultValue = "weighbridge", required = true)
    String executable;

    /** Whether to do nothing: the build is then as if the plugin were not there. */
    @Parameter(property = "weighbridge.skip", defaultValue = "false")
    boolean skip;

    /**
     * The folder of the module for everything that the plugin writes: rewritten classes, the runtime,
     * <code>recordings</code> and reports.
     */
    @Parameter(property = "weighbridge.directory", defaultValue = "${project.build.directory}/weighbridge")
    File directory;

    @Parameter(defaultValue = "${project}", readonly = true, required = true)
    MavenProject project;

    @Parameter(defaultValue = "${session}", readonly = true, required = true)
    MavenSession session;

    @Parameter(defaultValue = "${plugin}", readonly = true, required = true)
    PluginDescriptor plugin;

    @Inject
    private RepositorySystem repositories;

    @Override
    public final void execute() throws MojoExecutionException, MojoFailureException {
        if (skip) {
            getLog().info("Skipped: weighbridge.skip is set");
            skipped();
            return;
        }
        if (project.getPackaging().equals("pom")) {
            getLog().debug("nothing to weigh in a module of packaging pom");
            return;
        }
        try {
            work();
        } catch (CliException e) {
            throw new MojoExecutionException(e.getMessage(), e);
        } catch (IOException e) {
            throw new MojoExecutionException(e.toString(), e);
        }
    }

    /** Does what has to be done even if <code>skip</code> is set. */
    void skipped() {}

    /** Does what the goal is for, in a module that has code. */
    abstract void work() throws MojoExecutionException, MojoFailureException, IOException;

    final Binary binary() throws IOException {
        Path found = Cli.find(executable, project, session, repositories, plugin.getVersion());
        getLog().debug("the binary is " + found);
        return Binary.of(found, plugin.getVersion(), getLog()::warn);
    }

    final Path recordings() {
        return directory.toPath().resolve("recordings");
    }

    /** Whether a test JVM left a recording. */
    final boolean hasRecordings() throws IOException {
        if (!Files.isDirectory(recordings())) {
            return false;
        }
        try (var files = Files.newDirectoryStream(recordings(), "*.wbr")) {
            return files.iterator().hasNext();
        }
    }

    /** Says why this build measures nothing in the module. */
    final void unmeasured(String reason) {
        project.setContextValue(UNMEASURED, reason);
    }

    /** Why this build measures nothing in the module; null if nobody said. */
    final String unmeasured() {
        return (String) project.getContextValue(UNMEASURED);
    }

    /** Says that tests ran without the plugin's arguments. */
    final void overridden(String what) {
        project.setContextValue(OVERRIDDEN, what);
    }

    /**
     * Fails if tests ran without the plugin's arguments: what they constructed is in no recording.
     *
     * @throws MojoFailureException if so
     */
    final void requireArguments() throws MojoFailureException {
        String overridden = (String) project.getContextValue(OVERRIDDEN);
        if (overridden != null) {
            throw new MojoFailureException("the tests of " + overridden + ", so they left no recording"
                    + " (see \"When no recording appears\" in docs/maven.md)");
        }
    }

    /**
     * The configuration: the one given, else the nearest {@code weighbridge.toml} from the module's folder up to that of
     * the whole build.
     *
     * @throws MojoExecutionException if there is none
     */
    final Path config(File given) throws MojoExecutionException {
        if (given != null) {
            if (!given.isFile()) {
                throw new MojoExecutionException("the configuration " + given + " does not exist");
            }
            return given.toPath();
        }
        Path module = project.getBasedir().toPath();
        Path build = session.getRequest().getMultiModuleProjectDirectory().toPath();
        for (Path folder = module; folder != null && folder.startsWith(build); folder = folder.getParent()) {
            Path config = folder.resolve(CONFIG);
            if (Files.isRegularFile(config)) {
                return config;
            }
        }
        throw new MojoExecutionException("no " + CONFIG + " in " + module + " or above it in the build: write one"
                + " (docs/configuration.md), or say where it is with -Dweighbridge.config=FILE");
    }
}
