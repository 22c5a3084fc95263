package io.weighbridge.build;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
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
public final class Coverage {
    private Coverage() {}

    /**
     * Replaces the ids of rewritten classes in a file of JaCoCo by those of their originals.
     *
     * @param sources folders and jars: the original of each rewritten one
     * @return how many classes were translated
     * @throws CliException if a class has other probes than its original, so that its data would be lost; the
     *     file is then as it was
     */
    public static int translate(Path file, Map<Path, Path> sources) throws IOException {
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
            throw new CliException("JaCoCo's coverage of " + String.join(", ", lost) + " is lost: JaCoCo's probes"
                    + " in the rewritten class are not those of the original. Measure coverage in a build with weighbridge.skip");
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
