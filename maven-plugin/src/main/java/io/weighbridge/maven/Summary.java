package io.weighbridge.maven;

import com.google.gson.annotations.SerializedName;
import java.util.List;

/** What the plugin reads of the summary that {@code weighbridge instrument --json} prints; names are its keys. */
final class Summary {
    List<Jar> jars = List.of();
    Total total = new Total();

    /** One source. */
    static final class Jar {
        String output;

        /** Whether the output has other bytes: classes were rewritten, or a signature had to go. */
        boolean changed;

        List<Skipped> skipped = List.of();
    }

    /** A class that matched and was left as it was. */
    static final class Skipped {
        @SerializedName("class")
        String name;

        String reason;

        /** True for classes that have no objects of their own. */
        boolean harmless;
    }

    /** All sources together. */
    static final class Total {
        @SerializedName("classes_seen")
        long classesSeen;

        @SerializedName("classes_matched")
        long classesMatched;

        @SerializedName("classes_rewritten")
        long classesRewritten;

        long constructors;
    }
}
