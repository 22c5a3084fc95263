package io.weighbridge.maven;

import io.weighbridge.build.Budgets;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;

/**
 * Compares what the module's tests left alive with the memory budgets of the configuration. A broken budget breaks the
 * build.
 *
 * <p>The verdicts are in <code>target/weighbridge/TEST-weighbridge.xml</code>, too, in the form of JUnit reports. The
 * build also fails if tests ran and left no recording: a budget that was not measured is not kept.</p>
 */
@Mojo(name = "check", defaultPhase = LifecyclePhase.VERIFY, threadSafe = true)
public final class CheckMojo extends WeighbridgeMojo {
    /**
     * The configuration with the budgets. Without it the nearest <code>weighbridge.toml</code> counts, from the module's
     * folder up to that of the whole build.
     */
    @Parameter(property = "weighbridge.config")
    private File config;

    /** The recording or JSON report that budgets with <code>max_increase</code> are relative to. */
    @Parameter(property = "weighbridge.baseline")
    private File baseline;

    /** Whether a broken budget breaks the build; otherwise it is a warning. */
    @Parameter(property = "weighbridge.haltOnFailure", defaultValue = "true")
    private boolean haltOnFailure;

    @Override
    void work() throws MojoExecutionException, MojoFailureException, IOException {
        requireArguments();
        if (!hasRecordings()) {
            String reason = unmeasured();
            if (reason == null) {
                throw new MojoFailureException("no budget was checked: no recording in " + recordings()
                        + " (see \"When no recording appears\" in docs/maven.md)");
            }
            getLog().info("No budget is checked: " + reason);
            return;
        }
        Path junit = directory.toPath().resolve("TEST-weighbridge.xml");
        Budgets budgets = Budgets.check(
                binary(), List.of(recordings()), config(config), baseline == null ? null : baseline.toPath(), junit);
        if (budgets.broken() && haltOnFailure) {
            throw new MojoFailureException(budgets.failure());
        }
        budgets.tell(getLog()::warn, getLog()::info);
    }
}
