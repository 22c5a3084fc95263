package io.weighbridge.maven;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.maven.model.Plugin;
import org.apache.maven.plugin.MojoExecutionException;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.ExecutionDataWriter;
import org.jacoco.core.tools.ExecFileLoader;

/**
 * Keeps what JaCoCo recorded while tests ran on rewritten classes.
 *
 * <p>JaCoCo's agent names each class by a checksum of the loaded bytes, and its report looks for that of the original.
 * Rewriting inserts straight code only, so each of JaCoCo's probes in the original has a counterpart in the rewritten class
 * ({@link Probes}). {@link #translate} gives the data of the rewritten class to the original.
 */
final class Coverage {
    private static final String JAR = "org\\.jacoco\\.agent[^/=\"\\s]*\\.jar=";

    /** The agent's argument in a property of the build: its options end at a blank, or at the quote if it is in quotes. */
    private static final Pattern AGENT = Pattern.compile(
            "\"-javaagent:[^=\"]*" + JAR + "((?:\\\\.|[^\"])*)\"|-javaagent:[^=\"\\s]*" + JAR + "([^\"\\s]*)");

    private Coverage() {}

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

    /**
     * Replaces the ids of rewritten classes in a file of JaCoCo by those of their originals.
     *
     * @param sources folders and jars: the original of each rewritten one
     * @return how many classes were translated
     * @throws MojoExecutionException if a class has other probes than its original, so that its data would be lost; the
     *     file is then as it was
     */
    static int translate(Path file, Map<Path, Path> sources) throws MojoExecutionException, IOException {
        ExecFileLoader loader = new ExecFileLoader();
        loader.load(file.toFile());
        Set<String> names = loader.getExecutionDataStore().getContents().stream()
                .map(ExecutionData::getName)
                .collect(Collectors.toSet());
        ExecutionDataStore recorded = loader.getExecutionDataStore();
        Map<Long, ExecutionData> translated = new HashMap<>();
        Set<String> lost = new TreeSet<>();
        for (Map.Entry<Path, Path> source : sources.entrySet()) {
            Map<String, byte[]> originals = ClassFiles.named(names, source.getValue());
            for (Map.Entry<String, byte[]> entry : ClassFiles.named(names, source.getKey()).entrySet()) {
                byte[] original = originals.get(entry.getKey());
                if (original == null || Arrays.equals(original, entry.getValue())) {
                    continue;
                }
                Probes from = Probes.of(entry.getValue());
                ExecutionData data = recorded.get(from.id);
                if (data == null) {
                    continue;
                }
                Probes to = Probes.of(original);
                boolean[] hits = to.translate(from, data.getProbes());
                if (hits == null) {
                    lost.add(data.getName());
                } else {
                    translated.put(from.id, new ExecutionData(to.id, data.getName(), hits));
                }
            }
        }
        if (!lost.isEmpty()) {
            throw new MojoExecutionException("JaCoCo's coverage of " + String.join(", ", lost) + " is lost: JaCoCo's probes"
                    + " in the rewritten class are not those of the original. Measure coverage with -Dweighbridge.skip");
        }
        if (!translated.isEmpty()) {
            ExecutionDataStore whole = new ExecutionDataStore();
            recorded.getContents().forEach(data -> whole.put(translated.getOrDefault(data.getId(), data)));
            write(file, loader, whole);
        }
        return translated.size();
    }

    private static void write(Path file, ExecFileLoader loader, ExecutionDataStore data) throws IOException {
        Path whole = Files.createTempFile(file.toAbsolutePath().getParent(), "weighbridge", ".exec");
        try (OutputStream out = Files.newOutputStream(whole)) {
            ExecutionDataWriter writer = new ExecutionDataWriter(out);
            loader.getSessionInfoStore().accept(writer);
            data.accept(writer);
        }
        Files.move(whole, file, StandardCopyOption.REPLACE_EXISTING);
    }
}
