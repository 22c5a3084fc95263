package io.weighbridge.gradle;

import org.gradle.api.Project;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.Directory;
import org.gradle.api.file.FileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskContainer;
import org.gradle.api.tasks.TaskProvider;
import org.gradle.api.tasks.testing.Test;

/**
 * One task of type {@code Test} that runs on rewritten classes, and the task that rewrites them.
 *
 * <p>What is rewritten is the class path of the tests without the classes of the tests themselves.
 */
final class WeighedTests {
    private final Project project;
    private final Provider<Directory> recordings;
    private final TaskProvider<Test> tests;

    /** The class path that the build script gave the tests, and what of it is rewritten; known once the task is. */
    private final ConfigurableFileCollection original;

    private final ConfigurableFileCollection sources;
    private final TaskProvider<InstrumentTask> instrument;

    WeighedTests(Project project, WeighbridgeExtension extension, String name) {
        this.project = project;
        Provider<Directory> folder = project.getLayout().getBuildDirectory().dir("weighbridge");
        TaskContainer tasks = project.getTasks();
        recordings = folder.map(weighed -> weighed.dir("recordings/" + name));
        original = project.getObjects().fileCollection();
        sources = project.getObjects().fileCollection();
        tests = tasks.named(name, Test.class);
        String task = "weighbridgeInstrument" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
        instrument = tasks.register(task, InstrumentTask.class, created -> {
            created.setDescription("Rewrites what the task " + name + " runs on, so that its objects register.");
            created.getConfig().set(extension.getConfig());
            // The class path is in `sources` once the tests are configured.
            tests.get();
            created.getSources().from(sources);
            created.getDestination().set(folder.map(weighed -> weighed.dir("classpath/" + name)));
        });
        tests.configure(test -> weigh(test, extension));
    }

    private void weigh(Test test, WeighbridgeExtension extension) {
        FileCollection given = test.getClasspath();
        original.from(given);
        sources.from(given.minus(test.getTestClassesDirs()));
        Provider<Directory> destination = instrument.flatMap(InstrumentTask::getDestination);
        test.setClasspath(project.getObjects().fileCollection()
                .from(destination.map(new Rewritten(original, sources)))
                .builtBy(original, instrument));
        AgentArguments arguments = project.getObjects().newInstance(AgentArguments.class);
        arguments.getRuntime().set(destination.map(weighed -> weighed.file(InstrumentTask.RUNTIME)));
        arguments.getRecordings().set(recordings);
        arguments.getSession().set(project.getName());
        arguments.getOptions().set(extension.getOptions());
        test.getJvmArgumentProviders().add(arguments);
        test.getOutputs().dir(recordings).withPropertyName("weighbridgeRecordings");
        test.doFirst(new EmptyRecordings(recordings.get().getAsFile()));
        KeptCoverage coverage = KeptCoverage.of(
                test, sources, project.getLayout().getBuildDirectory().dir("weighbridge/classpath/" + test.getName()).get().getAsFile());
        if (coverage != null) {
            test.doLast(coverage);
        }
    }

    /** Where the recordings are. */
    Provider<Directory> folder() {
        return recordings;
    }

    /** What the tests leave; using it runs them. */
    FileCollection recordings() {
        return project.getObjects().fileTree().from(recordings).builtBy(tests)
                .matching(files -> files.include("**/*.wbr"));
    }
}
