package io.weighbridge.maven;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/** Surefire and Failsafe in a module: whether their JVMs get the plugin's arguments, and whether they ran tests. */
final class TestPlugins {
    private static final String GROUP = "org.apache.maven.plugins:maven-";

    private TestPlugins() {}

    /**
     * The plugins whose configuration has an {@code argLine} without the plugin's property, in all executions.
     *
     * @param property name of the property with the arguments of test JVMs
     * @param commandLine whether the user gave that property: it counts where no {@code argLine} is configured
     */
    static List<String> overridden(MavenProject project, String property, boolean commandLine) {
        return plugins(project).stream()
                .filter(plugin -> executions(plugin).stream().noneMatch(configuration -> {
                    String argLine = value(configuration, "argLine");
                    return argLine == null
                            ? property.equals("argLine") && !commandLine
                            : argLine.contains("@{" + property + "}") || argLine.contains("${" + property + "}");
                }))
                .map(Plugin::getArtifactId)
                .collect(Collectors.toList());
    }

    /** The plugins that wrote a report of a test since a time, in milliseconds. */
    static List<String> ran(MavenProject project, long since) throws IOException {
        List<String> ran = new ArrayList<>();
        for (Plugin plugin : plugins(project)) {
            for (Object configuration : executions(plugin)) {
                String configured = value(configuration, "reportsDirectory");
                Path folder = configured == null
                        ? Path.of(project.getBuild().getDirectory(), name(plugin) + "-reports")
                        : project.getBasedir().toPath().resolve(configured);
                if (!ran.contains(plugin.getArtifactId()) && hasNew(folder, "TEST-*.xml", since)) {
                    ran.add(plugin.getArtifactId());
                }
            }
        }
        return ran;
    }

    /** Whether a folder has a file that was written since a time, in milliseconds. */
    static boolean hasNew(Path folder, String glob, long since) throws IOException {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, glob)) {
            for (Path file : files) {
                if (Files.getLastModifiedTime(file).toMillis() >= since) {
                    return true;
                }
            }
        }
        return false;
    }

    private static List<Plugin> plugins(MavenProject project) {
        return project.getBuildPlugins().stream()
                .filter(plugin -> List.of("surefire", "failsafe").contains(name(plugin)))
                .collect(Collectors.toList());
    }

    private static String name(Plugin plugin) {
        String key = plugin.getKey();
        return key.startsWith(GROUP) ? key.substring(GROUP.length()).replaceFirst("-plugin$", "") : key;
    }

    /** The configurations of all executions, or that of the plugin if it has none; one may be null. */
    private static List<Object> executions(Plugin plugin) {
        List<Object> configurations = new ArrayList<>();
        for (PluginExecution execution : plugin.getExecutions()) {
            configurations.add(execution.getConfiguration());
        }
        if (configurations.isEmpty()) {
            configurations.add(plugin.getConfiguration());
        }
        return configurations;
    }

    private static String value(Object configuration, String parameter) {
        Xpp3Dom dom = configuration == null ? null : ((Xpp3Dom) configuration).getChild(parameter);
        return dom == null ? null : dom.getValue();
    }
}
