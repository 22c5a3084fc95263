package io.weighbridge.runtime;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The parsed table of one rewritten jar (docs/probe-contract.md, "The table"). Immutable once read. */
final class LinkTable {
    /** The contract this runtime keeps; a table of another one is refused. */
    static final int CONTRACT = 2;

    int contract;
    String tool = "";
    String jar = "";
    String config = "";
    final Map<String, String> options = new LinkedHashMap<>();
    final List<String> components = new ArrayList<>();
    final List<ClassLine> classes = new ArrayList<>();
    final Set<String> descendants = new HashSet<>();
    /** Pairs of a dotted name and a reason. */
    final List<String[]> skipped = new ArrayList<>();
    long skips;

    /** One {@code class} line; its position in {@link #classes} is the id within the jar. */
    static final class ClassLine {
        final String name;
        final boolean live;
        /** Null for none. */
        final String component;
        /** Null for all. */
        final String[] fields;
        /** Position of the class whose constructors register objects of subclasses that are not instrumented; -1 for itself. */
        final int registrar;
        /** Its constructors cannot tell its own objects from those of subclasses. */
        final boolean blind;

        ClassLine(String name, boolean live, String component, String[] fields, int registrar, boolean blind) {
            this.name = name;
            this.live = live;
            this.component = component;
            this.fields = fields;
            this.registrar = registrar;
            this.blind = blind;
        }
    }

    private LinkTable() {
    }

    /** Reads a table; fields that are missing at the end of a line are empty, lines of unknown kind are ignored. */
    static LinkTable parse(String text) {
        LinkTable table = new LinkTable();
        int from = 0;
        while (from < text.length()) {
            int end = text.indexOf('\n', from);
            if (end < 0) {
                end = text.length();
            }
            table.line(fields(text.substring(from, end)));
            from = end + 1;
        }
        return table;
    }

    private void line(List<String> line) {
        switch (line.get(0)) {
            case "weighbridge":
                contract = (int) number(field(line, 1));
                break;
            case "tool":
                tool = field(line, 1);
                break;
            case "jar":
                jar = field(line, 1);
                break;
            case "config":
                config = field(line, 1);
                break;
            case "set":
                options.put(field(line, 1), field(line, 2));
                break;
            case "component":
                components.add(field(line, 1));
                break;
            case "class":
                classes.add(new ClassLine(field(line, 1), !field(line, 2).equals("count"),
                        emptyToNull(field(line, 3)), list(field(line, 4)),
                        field(line, 5).isEmpty() ? -1 : (int) number(field(line, 5)), field(line, 6).equals("blind")));
                break;
            case "descendant":
                descendants.add(field(line, 1));
                break;
            case "skipped":
                skipped.add(new String[] {field(line, 1), field(line, 2)});
                break;
            case "skips":
                skips = number(field(line, 1));
                break;
            default:
                break;
        }
    }

    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>(7);
        StringBuilder field = new StringBuilder();
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\t') {
                fields.add(field.toString());
                field.setLength(0);
            } else if (c == '\\' && i + 1 < line.length()) {
                char escaped = line.charAt(++i);
                field.append(escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped);
            } else {
                field.append(c);
            }
        }
        fields.add(field.toString());
        return fields;
    }

    private static String field(List<String> line, int index) {
        return index < line.size() ? line.get(index) : "";
    }

    private static String emptyToNull(String field) {
        return field.isEmpty() ? null : field;
    }

    private static String[] list(String field) {
        return field.isEmpty() ? null : field.split(",");
    }

    private static long number(String field) {
        try {
            return Long.parseLong(field);
        } catch (NumberFormatException notOurs) {
            return 0;
        }
    }
}
