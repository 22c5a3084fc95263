package io.weighbridge.build;

import java.util.Locale;
import java.util.Map;

/**
 * The artefact that carries the binary: {@code io.weighbridge:weighbridge-cli:VERSION:exe:CLASSIFIER}.
 *
 * <p>Its classifiers are those of os-maven-plugin, as protoc's.
 */
public final class CliArtifact {
    /** Its group. */
    public static final String GROUP = "io.weighbridge";

    /** Its name. */
    public static final String NAME = "weighbridge-cli";

    /** Its extension on every system. */
    public static final String EXTENSION = "exe";

    private static final Map<String, String> PROCESSORS =
            Map.of("amd64", "x86_64", "x86_64", "x86_64", "x86-64", "x86_64", "aarch64", "aarch_64", "arm64", "aarch_64");

    private CliArtifact() {}

    /** The classifier of this machine. */
    public static String classifier() {
        return classifier(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    /**
     * The classifier of a machine. A system or processor that is not known keeps its own name: no such artefact is there,
     * and the error names it.
     *
     * @param system as the Java property {@code os.name}
     * @param processor as the Java property {@code os.arch}
     */
    static String classifier(String system, String processor) {
        String name = plain(system);
        String os = name.startsWith("linux") ? "linux"
                : name.startsWith("mac") || name.startsWith("osx") ? "osx"
                : name.startsWith("windows") ? "windows" : name;
        return os + "-" + PROCESSORS.getOrDefault(processor.toLowerCase(Locale.ROOT), plain(processor));
    }

    private static String plain(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    /** The coordinates of a version on this machine, as people write them. */
    public static String coordinates(String version) {
        return String.join(":", GROUP, NAME, version, EXTENSION, classifier());
    }

    /**
     * Says that there is no binary.
     *
     * @param version the version that is needed
     * @param why why the artefact cannot be had, such as that the build is offline
     * @param setting how a build says where the binary is
     */
    public static CliException missing(String version, String why, String setting) {
        return new CliException("no executable `" + SearchPath.DEFAULT + "` on the PATH, and "
                + coordinates(version) + " cannot be had from the repositories of this build (" + why
                + "): install Weighbridge " + version + ", or say where it is with " + setting);
    }
}
