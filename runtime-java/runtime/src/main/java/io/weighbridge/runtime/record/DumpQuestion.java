package io.weighbridge.runtime.record;

import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.registry.Population;
import io.weighbridge.runtime.walk.Measurement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What {@code weighbridge heap measured} is asked: which classes, components and tags a measurement is of. */
public final class DumpQuestion {
    private DumpQuestion() {
    }

    /** Of what was counted, as JSON. The rows are its populations, in their order; then the classes that are only counted. */
    public static String of(Measurement m, String[] hubs, String[] exclude, boolean soft, boolean holders, int[] tags) {
        StringBuilder text = new StringBuilder();
        Json json = new Json(text).open().field("rows", m.populations.size()).array("classes");
        List<String> components = m.components.subList(0, m.named);
        for (Population p : m.populations) {
            entry(json, p.entry, components);
        }
        for (ClassEntry entry : ClassTable.entries()) {
            if (!entry.live) {
                entry(json, entry, components);
            }
        }
        json.end().field("components", m.named).array("patterns");
        for (List<String> owns : ClassTable.componentPatternTexts()) {
            json.open().field("pattern", owns.get(1)).field("component", components.indexOf(owns.get(0))).close();
        }
        json.end().field("hubs", trimmed(hubs)).field("exclude", trimmed(exclude)).field("soft", soft)
                .field("tags", tags).field("holders", holders).close();
        return text.toString();
    }

    private static void entry(Json json, ClassEntry entry, List<String> components) {
        int component = components.indexOf(entry.component);
        json.open().field("id", entry.id).field("name", entry.name).field("component", component >= 0, component);
        if (entry.fields != null) {
            json.field("fields", Arrays.asList(entry.fields));
        }
        json.close();
    }

    private static List<String> trimmed(String[] texts) {
        List<String> all = new ArrayList<>();
        for (String text : texts) {
            if (!text.trim().isEmpty()) {
                all.add(text.trim());
            }
        }
        return all;
    }
}
