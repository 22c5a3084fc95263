package io.weighbridge.maven;

import java.io.File;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.artifact.ArtifactUtils;
import org.apache.maven.project.MavenProject;

/**
 * Rewritten classes instead of the originals, in Maven's model of one module.
 *
 * <p>No file changes. Every goal that asks the model between {@link #begin} and {@link #end} gets another output directory,
 * other files of dependencies and another value of the property with the arguments of test JVMs. A build that ends between
 * the two leaves nothing behind, since the model ends with it.
 *
 * <p>The originals are kept in the module's context, in types that every class loader knows. The module itself reads them,
 * and modules that depend on it, which Maven starts after it has ended.
 */
final class RewrittenTests {
    private static final String CLASSES = "io.weighbridge.classes";
    private static final String FILES = "io.weighbridge.files";
    private static final String PROPERTY = "io.weighbridge.property";
    private static final String VALUE = "io.weighbridge.value";
    private static final String SINCE = "io.weighbridge.since";

    private RewrittenTests() {}

    static boolean began(MavenProject project) {
        return project.getContextValue(FILES) != null;
    }

    /**
     * Puts rewritten classes and arguments into the model.
     *
     * @param classes the module's rewritten classes; null if none of them was rewritten
     * @param files rewritten dependencies
     * @param property name of the property with the arguments of test JVMs
     * @param arguments what is put before its value
     */
    static void begin(
            MavenProject project, Path classes, Map<Artifact, Path> files, String property, String arguments) {
        if (classes != null) {
            project.setContextValue(CLASSES, project.getBuild().getOutputDirectory());
            project.getBuild().setOutputDirectory(classes.toString());
        }
        Map<Artifact, File> originals = new HashMap<>();
        files.forEach((artifact, file) -> {
            originals.put(artifact, artifact.getFile());
            artifact.setFile(file.toFile());
        });
        project.setContextValue(FILES, originals);
        String value = define(project, property);
        project.setContextValue(PROPERTY, property);
        project.setContextValue(VALUE, value);
        project.setContextValue(SINCE, System.currentTimeMillis());
        project.getProperties().setProperty(property, value.isEmpty() ? arguments : arguments + " " + value);
    }

    /**
     * Makes a property of the module empty if there is none, since Surefire and Failsafe give a JVM the text
     * {@code @{argLine}} where a POM names a property that nobody set.
     *
     * @return its value
     */
    static String define(MavenProject project, String property) {
        return (String) project.getProperties().computeIfAbsent(property, missing -> "");
    }

    /** Puts the originals back; nothing happens if they are there already. */
    static void end(MavenProject project) {
        if (!began(project)) {
            return;
        }
        String classes = (String) project.getContextValue(CLASSES);
        if (classes != null) {
            project.getBuild().setOutputDirectory(classes);
        }
        @SuppressWarnings("unchecked")
        Map<Artifact, File> originals = (Map<Artifact, File>) project.getContextValue(FILES);
        originals.forEach(Artifact::setFile);
        String property = (String) project.getContextValue(PROPERTY);
        project.getProperties().setProperty(property, (String) project.getContextValue(VALUE));
        for (String key : new String[] {CLASSES, FILES, PROPERTY, VALUE, SINCE}) {
            project.setContextValue(key, null);
        }
    }

    /** Name of the property with the arguments of test JVMs, between {@link #begin} and {@link #end}. */
    static String property(MavenProject project) {
        return (String) project.getContextValue(PROPERTY);
    }

    /** When {@link #begin} was called, in milliseconds. */
    static long since(MavenProject project) {
        return (Long) project.getContextValue(SINCE);
    }

    /** The original of each rewritten folder and jar, between {@link #begin} and {@link #end}. */
    static Map<Path, Path> originals(MavenProject project) {
        Map<Path, Path> originals = new HashMap<>();
        @SuppressWarnings("unchecked")
        Map<Artifact, File> files = (Map<Artifact, File>) project.getContextValue(FILES);
        files.forEach((artifact, file) -> originals.put(artifact.getFile().toPath(), file.toPath()));
        String classes = (String) project.getContextValue(CLASSES);
        if (classes != null) {
            originals.put(Path.of(project.getBuild().getOutputDirectory()), Path.of(classes));
        }
        return originals;
    }

    /**
     * The original of a dependency. Without the phase {@code package} Maven gives the output directory for a module of the
     * same build. That is the rewritten one if the module's tests failed and the build went on.
     */
    static Path original(MavenProject project, Artifact artifact) {
        String key = ArtifactUtils.key(artifact.getGroupId(), artifact.getArtifactId(), artifact.getVersion());
        MavenProject module = project.getProjectReferences().get(key);
        String classes = module == null ? null : (String) module.getContextValue(CLASSES);
        Path file = artifact.getFile().toPath();
        boolean rewritten = classes != null && file.equals(Path.of(module.getBuild().getOutputDirectory()));
        return rewritten ? Path.of(classes) : file;
    }
}
