package io.weighbridge.maven;

import io.weighbridge.build.Sources;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import javax.inject.Inject;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProjectHelper;

/**
 * Rewrites what the module packaged: a jar with or without its dependencies in it, a war, an ear.
 *
 * <p>The rewritten file is in <code>target/weighbridge/packaged/weighed</code> (the classifier), with the runtime beside
 * it for what is not an executable jar. It is installed and deployed with a classifier of its own, beside the original.</p>
 */
@Mojo(name = "instrument-jar", defaultPhase = LifecyclePhase.PACKAGE, threadSafe = true)
public final class InstrumentJarMojo extends WeighbridgeMojo {
    /**
     * The configuration: which classes register their objects, and how they are measured. Without it the nearest
     * <code>weighbridge.toml</code> counts, from the module's folder up to that of the whole build.
     */
    @Parameter(property = "weighbridge.config")
    private File config;

    /** What to rewrite; without it the module's main artifact. */
    @Parameter(property = "weighbridge.jar")
    private File jar;

    /** The classifier of the rewritten file. Empty: it replaces the main artifact. */
    @Parameter(property = "weighbridge.classifier", defaultValue = "weighed")
    private String classifier;

    /** Whether the rewritten file is installed and deployed, too. */
    @Parameter(property = "weighbridge.attach", defaultValue = "true")
    private boolean attach;

    @Inject
    private MavenProjectHelper helper;

    @Override
    void work() throws MojoExecutionException, IOException {
        Artifact main = project.getArtifact();
        File packaged = jar != null ? jar : main.getFile();
        if (packaged == null || !packaged.isFile()) {
            throw new MojoExecutionException(packaged == null
                    ? "the module has packaged nothing yet: bind `instrument-jar` to `package` or later"
                    : packaged + " does not exist");
        }
        Sources sources = new Sources(directory.toPath().resolve("staged"));
        String name = sources.add(packaged.toPath());
        // A folder for each classifier: several executions leave each other's outputs alone.
        Path folder = directory.toPath().resolve("packaged").resolve(classifies() ? classifier : "main");
        Rewriting rewriting = new Rewriting(binary(), config(config), folder, getLog()::warn, getLog());
        Map<String, Path> rewritten = rewriting.of(sources);
        Path output = rewritten.get(name);
        if (output == null) {
            throw new MojoExecutionException("no class of " + packaged + " matches " + config(config));
        }
        getLog().info("Rewritten: " + output);
        if (!attach) {
            return;
        }
        if (classifies()) {
            helper.attachArtifact(project, main.getArtifactHandler().getExtension(), classifier, output.toFile());
        } else {
            main.setFile(output.toFile());
        }
    }

    private boolean classifies() {
        return classifier != null && !classifier.isEmpty();
    }
}
