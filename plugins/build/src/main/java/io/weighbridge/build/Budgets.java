package io.weighbridge.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** What {@code weighbridge check} says of the memory budgets of a configuration. */
public final class Budgets {
    /** The exit code of {@code check} for a broken budget. */
    private static final int BROKEN = 1;

    private final Binary.Result verdicts;

    private Budgets(Binary.Result verdicts) {
        this.verdicts = verdicts;
    }

    /**
     * Compares recordings with budgets.
     *
     * @param recordings files, or folders of them
     * @param baseline what budgets with {@code max_increase} are relative to; may be null
     * @param junit where the verdicts go, in the form of JUnit reports
     * @throws CliException as {@link Binary#run}; for every exit code but that of a broken budget
     */
    public static Budgets check(Binary binary, List<Path> recordings, Path config, Path baseline, Path junit)
            throws IOException {
        Files.createDirectories(junit.getParent());
        Files.deleteIfExists(junit);
        List<String> arguments = new ArrayList<>(List.of("check"));
        recordings.forEach(recording -> arguments.add(recording.toString()));
        arguments.addAll(List.of("--config", config.toString()));
        if (baseline != null) {
            arguments.addAll(List.of("--baseline", baseline.toString()));
        }
        Binary.Result verdicts = binary.run(arguments);
        arguments.addAll(List.of("-o", "junit", "-f", junit.toString()));
        // The verdicts are the same, and so are the warnings, which were told.
        binary.quietly().run(arguments);
        verdicts.successful(BROKEN);
        return new Budgets(verdicts);
    }

    /** Whether a budget is broken. */
    public boolean broken() {
        return verdicts.code == BROKEN;
    }

    /** A message for a build that ends because of a broken budget. */
    public String failure() {
        return "memory budgets are broken\n" + String.join("\n", lines());
    }

    /** Tells every budget that does not simply hold as a warning, and how many were checked as information. */
    public void tell(Consumer<String> warnings, Consumer<String> information) {
        List<String> lines = lines();
        int last = Math.max(lines.size() - 1, 0);
        lines.stream().limit(last).forEach(warnings);
        lines.stream().skip(last).forEach(information);
    }

    private List<String> lines() {
        return verdicts.output.lines().collect(Collectors.toList());
    }
}
