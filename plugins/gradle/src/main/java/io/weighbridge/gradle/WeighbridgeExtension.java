package io.weighbridge.gradle;

import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;

/** What a build script says about Weighbridge, in the block {@code weighbridge}. docs/gradle.md explains it. */
public abstract class WeighbridgeExtension {
    /** Its name in build scripts. */
    static final String NAME = "weighbridge";

    /** @return the configuration; the nearest {@code weighbridge.toml} from the project up to the root of the build */
    public abstract RegularFileProperty getConfig();

    /**
     * @return the binary: a name that is looked up on the {@code PATH}, or a path from the project's folder. If none is
     *     given and there is none on the {@code PATH}, the artifact of the plugin's version is resolved
     */
    public abstract Property<String> getExecutable();

    /** @return whether to do nothing, so that the build is as if the plugin were not there */
    public abstract Property<Boolean> getSkip();

    /** @return options of the runtime for test JVMs, by the names in docs/configuration.md */
    public abstract MapProperty<String, String> getOptions();

    /** @return the formats of the report, as {@code weighbridge report -o} knows them; {@code text} and {@code json} */
    public abstract ListProperty<String> getFormats();

    /** @return the recording or JSON report that budgets with {@code max_increase} are relative to */
    public abstract RegularFileProperty getBaseline();

    /** @return whether a broken budget breaks the build; otherwise it is a warning */
    public abstract Property<Boolean> getHaltOnFailure();
}
