package io.weighbridge.maven;

import io.weighbridge.build.Sources;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Lets the tests run on rewritten classes, and their JVMs write recordings.
 *
 * <p>The module's classes and its dependencies (all scopes but <code>test</code>) are rewritten into a folder of their
 * own, and replace the originals until the goal <code>restore</code>. Nothing is rewritten while classes,
 * dependencies, configuration and binary are what they were at the last build.</p>
 *
 * <p>No file of the module is changed: what is packaged, installed and deployed are the original classes.</p>
 */
@Mojo(
        name = "instrument",
        defaultPhase = LifecyclePhase.PROCESS_TEST_CLASSES,
        requiresDependencyResolution = ResolutionScope.TEST,
        threadSafe = true)
public final class InstrumentMojo extends WeighbridgeMojo {
    private static final Set<String> SCOPES =
            Set.of(Artifact.SCOPE_COMPILE, Artifact.SCOPE_RUNTIME, Artifact.SCOPE_PROVIDED, Artifact.SCOPE_SYSTEM);

    /**
     * The configuration: which classes register their objects, and how they are measured. Without it the nearest
     * <code>weighbridge.toml</code> counts, from the module's folder up to that of the whole build.
     */
    @Parameter(property = "weighbridge.config")
    private File config;

    /**
     * Whether classes of dependencies register their objects, too, where the configuration's patterns match them. A
     * dependency without a match is used as it is.
     */
    @Parameter(property = "weighbridge.dependencies", defaultValue = "true")
    private boolean dependencies;

    /**
     * The property with the arguments of test JVMs; Surefire and Failsafe read <code>argLine</code>. A POM that
     * configures <code>argLine</code> itself has to name the property in it: <code>@{argLine} -Xmx1g</code>.
     */
    @Parameter(property = "weighbridge.argLineProperty", defaultValue = "argLine", required = true)
    private String argLineProperty;

    /** Options of the runtime for test JVMs, by the names in docs/configuration.md ("Runtime options"). */
    @Parameter
    private Map<String, String> options = Map.of();

    /** Whether recordings of earlier builds stay, to be reported together with those of this one. */
    @Parameter(property = "weighbridge.append", defaultValue = "false")
    private boolean append;

    /** Whether tests are compiled and not run; nothing is rewritten then. */
    @Parameter(property = "skipTests", defaultValue = "false")
    private boolean skipTests;

    /** Whether tests are neither compiled nor run; nothing is rewritten then. */
    @Parameter(property = "maven.test.skip", defaultValue = "false")
    private boolean skipAllTests;

    @Parameter(defaultValue = "${mojoExecution}", readonly = true, required = true)
    private MojoExecution execution;

    @Override
    void work() throws MojoExecutionException, IOException {
        if (!append) {
            deleteRecordings();
        }
        if (skipTests || skipAllTests) {
            nothingToDo("tests are skipped");
            return;
        }
        if (!Files.isDirectory(Path.of(project.getBuild().getTestOutputDirectory()))) {
            nothingToDo("the module has no tests");
            return;
        }
        requireRestore();
        RewrittenTests.end(project);
        Sources sources = new Sources(directory.toPath().resolve("staged"));
        Path own = Path.of(project.getBuild().getOutputDirectory());
        String ownName = Files.isDirectory(own) ? sources.add(own) : null;
        Map<Artifact, String> names = new LinkedHashMap<>();
        for (Artifact artifact : dependencies ? project.getArtifacts() : Set.<Artifact>of()) {
            if (SCOPES.contains(artifact.getScope()) && isClassPath(artifact)) {
                Path original = RewrittenTests.original(project, artifact);
                names.put(artifact, sources.add(original, unique(artifact, original)));
            }
        }
        if (sources.byName().isEmpty()) {
            nothingToDo("the module has neither classes nor dependencies");
            return;
        }
        Rewriting rewriting =
                new Rewriting(binary(), config(config), directory.toPath().resolve("classpath"), warnings(), getLog());
        Map<String, Path> rewritten = rewriting.of(sources);
        Map<Artifact, Path> files = new LinkedHashMap<>();
        names.forEach((artifact, name) -> files.put(artifact, rewritten.get(name)));
        // A dependency without a match is used as it is, in its original form (see `original`).
        names.forEach((artifact, name) ->
                files.computeIfAbsent(artifact, missing -> RewrittenTests.original(project, missing)));
        Files.createDirectories(recordings());
        String arguments = Arguments.quoted(arguments(rewriting.runtime()));
        if (session.getUserProperties().containsKey(argLineProperty)) {
            getLog().warn("-D" + argLineProperty + " on the command line wins over the plugin: no recording is written"
                    + " unless it has " + arguments);
        }
        Path classes = ownName == null ? null : rewritten.get(ownName);
        Artifact packaged = project.getArtifact();
        if (classes != null && isJar(packaged.getFile())) {
            // Failsafe prefers the module's jar, and takes the output directory where that is no file.
            files.put(packaged, classes);
        }
        RewrittenTests.begin(project, classes, files, argLineProperty, arguments);
        getLog().debug(argLineProperty + " starts with " + arguments);
    }

    @Override
    void skipped() {
        RewrittenTests.define(project, argLineProperty);
    }

    private void nothingToDo(String reason) {
        RewrittenTests.define(project, argLineProperty);
        unmeasured(reason);
        getLog().info("Nothing is rewritten: " + reason);
    }

    private static boolean isClassPath(Artifact artifact) {
        File file = artifact.getFile();
        return artifact.getArtifactHandler().isAddedToClasspath() && file != null && (file.isDirectory() || isJar(file));
    }

    /** A name for a file or folder of an artifact that no other one has. */
    private static String unique(Artifact artifact, Path path) {
        return Stream.of(
                        artifact.getGroupId(),
                        artifact.getArtifactId(),
                        artifact.getBaseVersion(),
                        artifact.getClassifier())
                .filter(Objects::nonNull)
                .collect(Collectors.joining("-", "", Files.isDirectory(path) ? "" : ".jar"));
    }

    private static boolean isJar(File file) {
        return file != null && file.isFile() && file.getName().endsWith(".jar");
    }

    /** The runtime's options, as properties: an agent's argument cannot hold every path. */
    private List<String> arguments(Path runtime) {
        List<String> arguments = new ArrayList<>(List.of("-javaagent:" + runtime));
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("destfile", recordings().resolve(project.getArtifactId() + "-%p.wbr").toString());
        settings.put("sessionid", project.getArtifactId());
        settings.putAll(options);
        settings.forEach((key, value) -> arguments.add("-Dweighbridge." + key + "=" + value));
        return arguments;
    }

    /** In a build of several modules few patterns match in all of them, so that is no warning. */
    private Consumer<String> warnings() {
        return session.getProjects().size() == 1 ? getLog()::warn : getLog()::info;
    }

    private void deleteRecordings() throws IOException {
        if (Files.isDirectory(recordings())) {
            try (var files = Files.newDirectoryStream(recordings(), "*.wbr")) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Without `restore` the rewritten classes would be packaged. On the command line it is the user's choice. */
    private void requireRestore() throws MojoExecutionException {
        if (execution.getSource() == MojoExecution.Source.CLI) {
            return;
        }
        boolean bound = execution.getPlugin().getExecutions().stream()
                .anyMatch(other -> other.getGoals().contains("restore"));
        if (!bound) {
            throw new MojoExecutionException("the goal `instrument` needs the goal `restore`:"
                    + " without it the rewritten classes would be packaged. Bind both (docs/maven.md)");
        }
        if (JacocoFiles.isReadBefore(execution.getPlugin(), project.getBuildPlugins())) {
            throw new MojoExecutionException("JaCoCo's report in the phase `test` stands before the goal `restore`, which"
                    + " makes its data hold for the original classes: put this plugin before JaCoCo's in the POM");
        }
    }
}
