package io.weighbridge.gradle;

import io.weighbridge.build.SearchPath;
import java.nio.file.Path;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.provider.ValueSource;
import org.gradle.api.provider.ValueSourceParameters;

/** The path of an installed binary. A value source: a build that is kept by the configuration cache looks again. */
public abstract class Installed implements ValueSource<String, Installed.Parameters> {
    /** What is looked for. */
    public interface Parameters extends ValueSourceParameters {
        /** @return a name, or a path from the folder */
        Property<String> getNamed();

        /** @return the folder from which relative paths count */
        DirectoryProperty getBase();
    }

    @Override
    public String obtain() {
        Path base = getParameters().getBase().get().getAsFile().toPath();
        Path found = SearchPath.find(getParameters().getNamed().get(), base, System.getenv("PATH"));
        return found == null ? null : found.toString();
    }
}
