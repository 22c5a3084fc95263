package io.weighbridge.maven;

import io.weighbridge.build.Binary;
import io.weighbridge.build.ReportFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;

/**
 * Writes what the recordings of the module's tests say, all JVMs together.
 *
 * <p>The files are <code>target/weighbridge/report.txt</code>, <code>report.json</code> and so on, by format. The build
 * fails if tests ran without the plugin's arguments, because the POM or the command line overrides them.</p>
 */
@Mojo(name = "report", defaultPhase = LifecyclePhase.VERIFY, threadSafe = true)
public final class ReportMojo extends WeighbridgeMojo {
    /** The formats, as <code>weighbridge report -o</code> knows them. */
    @Parameter(property = "weighbridge.formats", defaultValue = "text,json")
    private List<String> formats;

    @Override
    void work() throws MojoExecutionException, MojoFailureException, IOException {
        if (!hasRecordings()) {
            requireArguments();
            getLog().info("No report: no recording in " + recordings());
            return;
        }
        Binary binary = binary();
        Files.createDirectories(directory.toPath());
        for (String format : formats) {
            Path file = directory.toPath().resolve(ReportFiles.name(format));
            Files.deleteIfExists(file);
            Binary.Result result = binary.run(
                    List.of("report", recordings().toString(), "-o", format, "-f", file.toString()));
            // A recording that cannot be read is named in a warning; the report is of the others.
            result.successful(Files.exists(file) ? Binary.INPUT : 0);
            getLog().info("Report: " + file);
        }
        requireArguments();
    }
}
