package io.weighbridge.maven;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.logging.Log;

/**
 * The {@code weighbridge} command, found and known to be of the plugin's own version.
 *
 * <p>Verbs, flags and exit codes are those of {@code weighbridge help}. A call waits for the process to end and ends it
 * when the build is interrupted.
 */
final class Binary {
    /** The exit code of {@code check} for a broken budget. */
    static final int BUDGET_BROKEN = 1;

    /** The exit code for an input that cannot be used. */
    static final int INPUT = 3;

    private static final String WARNING = "weighbridge: warning: ";

    private final Path executable;
    private final Log log;

    private Binary(Path executable, Log log) {
        this.executable = executable;
        this.log = log;
    }

    /**
     * Finds the binary and asks for its version.
     *
     * @param named a name without a separator, looked up in {@code searchPath}, or a path, relative ones from {@code base}
     * @param searchPath folders separated as in {@code PATH}; may be null
     * @param version the only version accepted: plugin and binary of different versions may not understand each other
     * @throws MojoExecutionException if there is none, it does not start, or it is of another version
     */
    static Binary find(String named, Path base, String searchPath, String version, Log log)
            throws MojoExecutionException {
        Path executable = locate(named, base, searchPath);
        if (executable == null) {
            throw new MojoExecutionException(
                    "no executable `" + named + "`" + (isName(named) ? " on the PATH" : "") + ": install Weighbridge "
                            + version + ", or say where it is with -Dweighbridge.executable=FILE");
        }
        Binary binary = new Binary(executable, log);
        String says = binary.run(List.of("--version")).successful().output.trim();
        if (!says.equals("weighbridge " + version)) {
            throw new MojoExecutionException(
                    executable + " says it is `" + says + "`; this plugin needs weighbridge " + version);
        }
        return binary;
    }

    private static boolean isName(String named) {
        return Path.of(named).getNameCount() == 1 && !named.startsWith(".") && !Path.of(named).isAbsolute();
    }

    private static Path locate(String named, Path base, String searchPath) {
        Stream<Path> folders = isName(named)
                ? Stream.of(Objects.requireNonNullElse(searchPath, "").split(File.pathSeparator))
                        .filter(folder -> !folder.isEmpty())
                        .map(base::resolve)
                : Stream.of(base);
        return folders.flatMap(folder -> Stream.of(folder.resolve(named), folder.resolve(named + ".exe")))
                .map(Path::normalize)
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .orElse(null);
    }

    /** Adds what distinguishes builds of the binary: development builds share a version. */
    void identify(Fingerprint fingerprint) throws IOException {
        fingerprint
                .add(executable.toString())
                .add(Long.toString(Files.size(executable)))
                .add(Files.getLastModifiedTime(executable).toString());
    }

    /** As {@link #run(List, Consumer)}, with the verb's warnings as warnings of the build. */
    Result run(List<String> arguments) throws MojoExecutionException {
        return run(arguments, log::warn);
    }

    /**
     * Runs a verb to its end.
     *
     * @param warnings takes each warning on standard error, without its prefix
     * @throws MojoExecutionException if it does not start or the build is interrupted
     */
    Result run(List<String> arguments, Consumer<String> warnings) throws MojoExecutionException {
        List<String> command = new ArrayList<>(List.of(executable.toString()));
        command.addAll(arguments);
        log.debug(String.join(" ", command));
        Process process = null;
        try {
            process = new ProcessBuilder(command).start();
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
            throw new MojoExecutionException("interrupted while waiting for " + executable, e);
        } catch (IOException | UncheckedIOException | ExecutionException e) {
            throw new MojoExecutionException(executable + " cannot be run: " + e.getMessage(), e);
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
    static final class Result {
        /** The exit code. */
        final int code;
        /** Standard output. */
        final String output;
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

        /** This result, if the exit code is 0 or one of the given ones, which are no failures. */
        Result successful(int... codes) throws MojoExecutionException {
            if (code == 0 || Arrays.stream(codes).anyMatch(accepted -> accepted == code)) {
                return this;
            }
            String said = errors.lines().filter(line -> !line.startsWith(WARNING)).collect(Collectors.joining("\n"));
            throw new MojoExecutionException(said.isEmpty() ? "weighbridge ended with exit code " + code : said);
        }
    }
}
