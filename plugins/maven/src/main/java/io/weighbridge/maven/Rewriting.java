package io.weighbridge.maven;

import io.weighbridge.build.Binary;
import io.weighbridge.build.Folders;
import io.weighbridge.build.Sources;
import io.weighbridge.build.Summary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.maven.plugin.logging.Log;

/**
 * One call of {@code weighbridge instrument}, left out while its inputs and outputs are unchanged.
 *
 * <p>All sources go into one call, because classes of one may extend classes of another. The folder holds the rewritten
 * sources under their names and the runtime; beside it is a stamp: the digest of the inputs (sources, configuration, binary)
 * and of the outputs. The stamp is deleted first and written last, so that an interrupted call is made again.
 */
final class Rewriting {
    private static final String RUNTIME = "weighbridge-runtime.jar";

    private final Binary binary;
    private final Path config;
    private final Path folder;
    private final Consumer<String> warnings;
    private final Log log;

    /**
     * @param folder where outputs go; nothing else may be there
     * @param warnings takes the command's warnings, such as patterns that match nothing in the sources
     */
    Rewriting(Binary binary, Path config, Path folder, Consumer<String> warnings, Log log) {
        this.binary = binary;
        this.config = config;
        this.folder = folder;
        this.warnings = warnings;
        this.log = log;
    }

    /**
     * Rewrites what changed since the last call with this folder.
     *
     * @return the rewritten sources by name; a source that did not change is absent
     * @throws io.weighbridge.build.CliException if the command fails
     */
    Map<String, Path> of(Sources sources) throws IOException {
        Path stamp = folder.resolveSibling(folder.getFileName() + ".stamp");
        String inputs = inputs(sources);
        if (Files.isRegularFile(stamp) && Files.readString(stamp).equals(stamp(inputs))) {
            log.info("Unchanged since it was rewritten: " + folder);
            return outputs(sources);
        }
        Files.deleteIfExists(stamp);
        Folders.delete(folder);
        Summary.instrument(binary.warning(warnings), sources, config, folder).tell(log::warn, log::info);
        Files.writeString(stamp, stamp(inputs));
        return outputs(sources);
    }

    /** The runtime that belongs to the rewritten classes. */
    Path runtime() {
        return folder.resolve(RUNTIME);
    }

    private String inputs(Sources sources) throws IOException {
        Fingerprint fingerprint = new Fingerprint().add(config);
        // What distinguishes builds of the binary: development builds share a version.
        Path executable = binary.executable();
        fingerprint.add(executable.toString()).add(Long.toString(Files.size(executable)));
        fingerprint.add(Files.getLastModifiedTime(executable).toString());
        for (Map.Entry<String, Path> source : sources.byName().entrySet()) {
            fingerprint.add(source.getKey()).add(source.getValue());
        }
        return fingerprint.hex();
    }

    private String stamp(String inputs) throws IOException {
        return inputs + "\n" + new Fingerprint().add(folder).hex() + "\n";
    }

    private Map<String, Path> outputs(Sources sources) {
        Map<String, Path> outputs = new LinkedHashMap<>();
        for (String name : sources.byName().keySet()) {
            Path output = folder.resolve(name);
            if (Files.exists(output)) {
                outputs.put(name, output);
            }
        }
        return outputs;
    }
}
