package io.weighbridge.build;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The {@code weighbridge} binary, known to be of the plugin's own version.
 *
 * <p>Verbs, flags and exit codes are those of {@code weighbridge help}. A call waits for the process to end and ends it
 * when the build is interrupted.
 */
public final class Binary {
    /** The exit code for an input that cannot be used. */
    public static final int INPUT = 3;

    private static final String WARNING = "weighbridge: warning: ";

    private final Path executable;
    private final Path folder;
    private final Consumer<String> warnings;

    private Binary(Path executable, Path folder, Consumer<String> warnings) {
        this.executable = executable;
        this.folder = folder;
        this.warnings = warnings;
    }

    /**
     * Takes a file as the binary after asking for its version.
     *
     * @param version the only version accepted: plugin and binary of different versions may not understand each other
     * @param warnings takes each warning of a verb, without its prefix
     * @throws CliException if it does not start or is of another version
     */
    public static Binary of(Path executable, String version, Consumer<String> warnings) throws CliException {
        Binary binary = new Binary(executable, null, warnings);
        String says = binary.run(List.of("--version")).successful().output.trim();
        if (!says.equals("weighbridge " + version)) {
            throw new CliException(executable + " says it is `" + says + "`; this plugin needs weighbridge " + version);
        }
        return binary;
    }

    /** The file that is run. */
    public Path executable() {
        return executable;
    }

    /** The same, with warnings that go elsewhere. */
    public Binary warning(Consumer<String> other) {
        return new Binary(executable, folder, other);
    }

    /** The same, with its warnings left out. */
    public Binary quietly() {
        return warning(warning -> {});
    }

    /** The same, run in a folder, from which relative paths count. */
    public Binary in(Path other) {
        return new Binary(executable, other, warnings);
    }

    /**
     * Runs a verb to its end.
     *
     * @throws CliException if it does not start or the build is interrupted
     */
    public Result run(List<String> arguments) throws CliException {
        List<String> command = new ArrayList<>(List.of(executable.toString()));
        command.addAll(arguments);
        Process process = null;
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            if (folder != null) {
                builder.directory(folder.toFile());
            }
            process = builder.start();
            process.getOutputStream().close();
            Process running = process;
            // Both pipes are read at the same time: a full one would stop the process.
            CompletableFuture<String> errors = CompletableFuture.supplyAsync(() -> text(running.getErrorStream()));
            String output = text(process.getInputStream());
            Result result = new Result(process.waitFor(), output, errors.get());
            result.warnings().forEach(warnings);
            return result;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CliException("interrupted while waiting for " + executable, e);
        } catch (IOException | UncheckedIOException | ExecutionException e) {
            throw new CliException(executable + " cannot be run: " + e.getMessage(), e);
        } finally {
            if (process != null) {
                process.destroy();
            }
        }
    }

    private static String text(InputStream stream) {
        try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How a verb ended. */
    public static final class Result {
        /** The exit code. */
        public final int code;
        /** Standard output. */
        public final String output;
        private final String errors;

        private Result(int code, String output, String errors) {
            this.code = code;
            this.output = output;
            this.errors = errors;
        }

        private List<String> warnings() {
            return errors.lines()
                    .filter(line -> line.startsWith(WARNING))
                    .map(line -> line.substring(WARNING.length()))
                    .collect(Collectors.toList());
        }

        /**
         * This result, if the exit code is 0 or one of the given ones, which are no failures.
         *
         * @throws CliException with what the verb said, otherwise
         */
        public Result successful(int... codes) throws CliException {
            if (code == 0 || Arrays.stream(codes).anyMatch(accepted -> accepted == code)) {
                return this;
            }
            String said = errors.lines().filter(line -> !line.startsWith(WARNING)).collect(Collectors.joining("\n"));
            throw new CliException(said.isEmpty() ? "weighbridge ended with exit code " + code : said);
        }
    }
}
