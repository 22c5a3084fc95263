package io.weighbridge.gradle;

import io.weighbridge.build.SearchPath;
import java.io.File;
import java.util.List;
import org.gradle.api.GradleException;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.plugins.JavaPlugin;
import org.gradle.api.tasks.TaskProvider;
import org.gradle.api.tasks.testing.Test;

/**
 * Measures the tests of a project with the plugin {@code java}: {@code plugins { id 'io.weighbridge' }}.
 *
 * <p>No original is changed: what is packaged and published is made of the original classes.
 */
public final class WeighbridgePlugin implements Plugin<Project> {
    private static final String GROUP = "verification";
    private static final String CONFIG = "weighbridge.toml";

    @Override
    public void apply(Project project) {
        project.getPlugins().withType(JavaPlugin.class, java -> weigh(project));
    }

    private static void weigh(Project project) {
        WeighbridgeExtension extension = extension(project);
        CliFile cli = CliFile.of(project, extension);
        File copies = new File(project.getGradle().getGradleUserHomeDir(), "caches/weighbridge");
        project.getTasks().withType(CliTask.class).configureEach(task -> {
            task.getBinary().from(cli);
            task.getCopies().set(copies);
        });
        TaskProvider<ReportTask> report = project.getTasks().register("weighbridgeReport", ReportTask.class, task -> {
            task.setGroup(GROUP);
            task.setDescription("Reports what the objects of the tests keep alive.");
            task.getFormats().set(extension.getFormats());
            task.getDestination().set(project.getLayout().getBuildDirectory().dir("reports/weighbridge"));
            task.setEnabled(!extension.getSkip().get());
        });
        TaskProvider<CheckTask> check = project.getTasks().register("weighbridgeCheck", CheckTask.class, task -> {
            task.setGroup(GROUP);
            task.setDescription("Compares what the tests left alive with memory budgets.");
            task.getConfig().set(extension.getConfig());
            task.getBaseline().set(extension.getBaseline());
            task.getHaltOnFailure().set(extension.getHaltOnFailure());
            task.getJunit().set(
                    project.getLayout().getBuildDirectory().file("test-results/weighbridge/TEST-weighbridge.xml"));
            task.setEnabled(!extension.getSkip().get());
        });
        // After the build script: the class paths of its tests are known, and which tests there are.
        project.afterEvaluate(evaluated -> {
            if (extension.getSkip().get()) {
                return;
            }
            for (String name : project.getTasks().withType(Test.class).getNames()) {
                WeighedTests tests = new WeighedTests(project, extension, name);
                report.configure(task -> task.getRecordings().from(tests.recordings()));
                check.configure(task -> {
                    task.getRecordings().from(tests.recordings());
                    task.getFolders().from(tests.folder());
                });
            }
        });
    }

    private static WeighbridgeExtension extension(Project project) {
        WeighbridgeExtension extension =
                project.getExtensions().create(WeighbridgeExtension.NAME, WeighbridgeExtension.class);
        var given = project.getProviders();
        var root = project.getRootProject().getLayout().getProjectDirectory();
        extension.getConfig().convention(given.gradleProperty("weighbridge.config")
                .map(root::file)
                .orElse(project.getLayout().file(project.provider(() -> nearest(project)))));
        extension.getExecutable().convention(given.gradleProperty("weighbridge.executable").orElse(SearchPath.DEFAULT));
        extension.getSkip().convention(given.gradleProperty("weighbridge.skip").map(value -> !value.equals("false")).orElse(false));
        extension.getFormats().convention(List.of("text", "json"));
        extension.getBaseline().convention(given.gradleProperty("weighbridge.baseline").map(root::file));
        extension.getHaltOnFailure().convention(
                given.gradleProperty("weighbridge.haltOnFailure").map(Boolean::valueOf).orElse(true));
        return extension;
    }

    /** The nearest configuration from the project's folder up to that of the whole build. */
    private static File nearest(Project project) {
        File root = project.getRootDir();
        for (File folder = project.getProjectDir(); folder != null; folder = folder.getParentFile()) {
            File config = new File(folder, CONFIG);
            if (config.isFile()) {
                return config;
            }
            if (folder.equals(root)) {
                break;
            }
        }
        throw new GradleException("no " + CONFIG + " in " + project.getProjectDir() + " or above it in the build: write one"
                + " (docs/configuration.md), or say where it is with -Pweighbridge.config=FILE");
    }
}
