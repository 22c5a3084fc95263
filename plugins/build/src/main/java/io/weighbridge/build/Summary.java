package io.weighbridge.build;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import com.google.gson.annotations.SerializedName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What the plugins read of the summary that {@code weighbridge instrument --json} prints; names are its keys. */
public final class Summary {
    /** How many skipped classes are named. */
    private static final int NAMED = 10;

    private List<Jar> jars = List.of();
    private Total total = new Total();

    private Summary() {}

    /**
     * Runs {@code instrument} on sources, and deletes the useless copies of those in which nothing matched.
     *
     * @param destination where outputs go; nothing else may be there
     */
    public static Summary instrument(Binary binary, Sources sources, Path config, Path destination) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("instrument"));
        sources.staged().values().forEach(source -> arguments.add(source.toString()));
        arguments.addAll(List.of("--config", config.toString(), "--dest", destination.toString(), "--json"));
        // A module in which nothing matches is used as it is.
        arguments.add("--allow-empty");
        Summary summary = read(binary.run(arguments).successful().output);
        for (Jar jar : summary.jars) {
            if (!jar.changed) {
                Folders.delete(Path.of(jar.output));
            }
        }
        sources.unstage();
        return summary;
    }

    private static Summary read(String json) throws CliException {
        try {
            return new Gson().fromJson(json, Summary.class);
        } catch (JsonSyntaxException e) {
            throw new CliException("the summary of `weighbridge instrument` cannot be read", e);
        }
    }

    /** Tells the classes that were skipped as warnings, and what was done as information. */
    public void tell(Consumer<String> warnings, Consumer<String> information) {
        long skipped = 0;
        for (Jar jar : jars) {
            for (Skipped lost : jar.skipped) {
                if (!lost.harmless && ++skipped <= NAMED) {
                    warnings.accept("Skipped " + lost.name + ": " + lost.reason);
                }
            }
        }
        if (skipped > NAMED) {
            warnings.accept("and " + (skipped - NAMED) + " more; `weighbridge instrument` names them all");
        }
        information.accept(total.classesRewritten + " of " + total.classesMatched + " matching classes rewritten ("
                + total.classesSeen + " seen); " + total.constructors + " constructors register");
    }

    /** One source. */
    private static final class Jar {
        String output;

        /** Whether the output has other bytes: classes were rewritten, or a signature had to go. */
        boolean changed;

        List<Skipped> skipped = List.of();
    }

    /** A class that matched and was left as it was. */
    private static final class Skipped {
        @SerializedName("class")
        String name;

        String reason;

        /** True for classes that have no objects of their own. */
        boolean harmless;
    }

    /** All sources together. */
    private static final class Total {
        @SerializedName("classes_seen")
        long classesSeen;

        @SerializedName("classes_matched")
        long classesMatched;

        @SerializedName("classes_rewritten")
        long classesRewritten;

        long constructors;
    }
}
