package io.weighbridge.maven;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
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
        Binary binary = binary();
        Path junit = directory.toPath().resolve("TEST-weighbridge.xml");
        Files.deleteIfExists(junit);
        List<String> arguments = new ArrayList<>(
                List.of("check", recordings().toString(), "--config", config(config).toString()));
        if (baseline != null) {
            arguments.addAll(List.of("--baseline", baseline.toString()));
        }
        Binary.Result verdicts = binary.run(arguments);
        arguments.addAll(List.of("-o", "junit", "-f", junit.toString()));
        // The verdicts are the same, and so are the warnings, which were told.
        binary.run(arguments, warning -> getLog().debug(warning));
        List<String> lines = verdicts.output.lines().collect(Collectors.toList());
        if (verdicts.code == Binary.BUDGET_BROKEN && haltOnFailure) {
            throw new MojoFailureException("memory budgets are broken\n" + String.join("\n", lines));
        }
        // A line for each budget that did not simply hold, and how many did.
        int last = lines.size() - 1;
        lines.stream().limit(Math.max(last, 0)).forEach(getLog()::warn);
        lines.stream().skip(Math.max(last, 0)).forEach(getLog()::info);
        verdicts.successful(Binary.BUDGET_BROKEN);
    }
}
