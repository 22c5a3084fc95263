package io.weighbridge.maven;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.maven.model.Plugin;
import org.apache.maven.plugin.MojoExecutionException;

/** Where JaCoCo writes in a build: what {@link io.weighbridge.build.Coverage} translates. */
final class JacocoFiles {
    private static final String JAR = "org\\.jacoco\\.agent[^/=\"\\s]*\\.jar=";

    /** The agent's argument in a property of the build: its options end at a blank, or at the quote if it is in quotes. */
    private static final Pattern AGENT = Pattern.compile(
            "\"-javaagent:[^=\"]*" + JAR + "((?:\\\\.|[^\"])*)\"|-javaagent:[^=\"\\s]*" + JAR + "([^\"\\s]*)");

    private JacocoFiles() {}

    /**
     * The files that JaCoCo's agents write, by the properties of a module; empty without JaCoCo.
     *
     * @param base where the test JVMs start
     * @throws MojoExecutionException if an agent writes what cannot be translated
     */
    static Set<Path> files(Properties properties, Path base) throws MojoExecutionException {
        Set<Path> files = new LinkedHashSet<>();
        for (String name : properties.stringPropertyNames()) {
            String value = properties.getProperty(name);
            Matcher agent = AGENT.matcher(value);
            while (agent.find()) {
                String options = agent.group(1) == null ? agent.group(2) : agent.group(1).replaceAll("\\\\(.)", "$1");
                files.add(base.resolve(file(options)));
            }
        }
        return files;
    }

    private static String file(String options) throws MojoExecutionException {
        Map<String, String> given = Arrays.stream(options.split(",(?=[a-z]+=)"))
                .map(option -> option.split("=", 2))
                .filter(option -> option.length == 2)
                .collect(Collectors.toMap(option -> option[0], option -> option[1], (first, last) -> last));
        String output = given.getOrDefault("output", "file");
        String file = given.getOrDefault("destfile", "jacoco.exec");
        if (!output.equals("file") || file.contains("${")) {
            throw new MojoExecutionException("JaCoCo's coverage of rewritten classes would be lost: "
                    + (output.equals("file") ? "destfile=" + file + " names a file of each JVM" : "output=" + output)
                    + ". Let it write one file, or measure coverage with -Dweighbridge.skip");
        }
        return file;
    }

    /**
     * Whether JaCoCo reads its data in the phase {@code test} before a plugin's goals: those of one phase run in the order
     * of the POM.
     */
    static boolean isReadBefore(Plugin plugin, List<Plugin> all) {
        return all.stream()
                .takeWhile(other -> !other.getKey().equals(plugin.getKey()))
                .filter(other -> other.getKey().equals("org.jacoco:jacoco-maven-plugin"))
                .flatMap(jacoco -> jacoco.getExecutions().stream())
                .anyMatch(execution -> "test".equals(execution.getPhase())
                        && execution.getGoals().stream()
                                .anyMatch(goal -> goal.startsWith("report") || goal.equals("check")));
    }
}
