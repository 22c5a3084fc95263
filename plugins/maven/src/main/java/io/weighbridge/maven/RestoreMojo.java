package io.weighbridge.maven;

import io.weighbridge.build.Coverage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;

/**
 * Ends what <code>instrument</code> began: from here on the build uses the original classes and dependencies again.
 *
 * <p>What JaCoCo recorded meanwhile is translated to the original classes.</p>
 *
 * <p>It runs in the phase <code>test</code>, behind the tests that Maven binds there by itself. Tests that are bound to
 * a later phase need both goals around them: see "Integration tests" in docs/maven.md.</p>
 */
@Mojo(name = "restore", defaultPhase = LifecyclePhase.TEST, threadSafe = true)
public final class RestoreMojo extends WeighbridgeMojo {
    @Override
    void work() throws MojoExecutionException, IOException {
        if (!RewrittenTests.began(project)) {
            return;
        }
        try {
            lookForOverriddenArguments();
            keepCoverage();
        } finally {
            RewrittenTests.end(project);
            getLog().info("The original classes are back");
        }
    }

    private void lookForOverriddenArguments() throws IOException {
        long since = RewrittenTests.since(project);
        if (TestPlugins.hasNew(recordings(), "*.wbr", since)) {
            return;
        }
        String property = RewrittenTests.property(project);
        boolean commandLine = session.getUserProperties().containsKey(property);
        List<String> overridden = TestPlugins.ran(project, since);
        overridden.retainAll(TestPlugins.overridden(project, property, commandLine));
        if (!overridden.isEmpty()) {
            overridden(String.join(" and ", overridden) + " ran with an `argLine` without @{" + property + "}");
        }
    }

    private void keepCoverage() throws MojoExecutionException, IOException {
        for (Path file : JacocoFiles.files(project.getProperties(), project.getBasedir().toPath())) {
            if (Files.isRegularFile(file)) {
                int classes = Coverage.translate(file, RewrittenTests.originals(project));
                getLog().info("JaCoCo's data of " + classes + " rewritten classes holds for the originals: " + file);
            }
        }
    }
}
