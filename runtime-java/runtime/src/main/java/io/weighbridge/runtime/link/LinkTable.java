package io.weighbridge.runtime.link;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The parsed table of one rewritten jar (docs/probe-contract.md, "The table"). Immutable once read, but for {@link #base}. */
public final class LinkTable {
    /** The contract this runtime keeps; a table of another one is refused. */
    public static final int CONTRACT = 5;

    /** The whole table. */
    public final String text;
    /** The instrumented classes, in the order of their ids. */
    public final ClassLines classes;
    /** The id of the first of them, once the jar is linked. */
    public int base;
    /** The jar's name. */
    public String jar = "";
    /** What to call the loader of classes that were not in a rewritten jar; null for others. */
    public String loader;
    /** In the order of the configuration. */
    public final List<String> components = new ArrayList<>();
    /** Pairs of a component and a pattern of names that it owns. */
    public final List<List<String>> componentPatterns = new ArrayList<>();
    /** Names of matched classes in other jars. */
    public final Set<String> descendants = new HashSet<>();
    /** The contract that the jar was rewritten for. */
    public int contract;
    /** What rewrote the jar. */
    public String tool = "";
    /** The digest of the configuration. */
    public String config = "";
    /** Options baked into the jar. */
    public final Map<String, String> options = new LinkedHashMap<>();
    /** Pairs of a dotted name and a reason. */
    public final List<String[]> skipped = new ArrayList<>();
    /** How many classes matched and stayed as they were, listed or not. */
    public long skips;

    private LinkTable(String text) {
        this.text = text;
        classes = new ClassLines(text);
    }

    /** Reads a table; fields that are missing at the end of a line are empty, lines of unknown kind are ignored. */
    public static LinkTable parse(String text) {
        LinkTable table = new LinkTable(text);
        int from = 0;
        while (from < text.length()) {
            int end = text.indexOf('\n', from);
            if (end < 0) {
                end = text.length();
            }
            table.line(new TableFields(text, from, end));
            from = end + 1;
        }
        table.classes.trim();
        return table;
    }

    private void line(TableFields line) {
        switch (line.next()) {
            case "class":
                classes.add(line);
                break;
            case "weighbridge":
                contract = (int) TableFields.number(line.next());
                break;
            case "tool":
                tool = line.next();
                break;
            case "base":
                base = (int) TableFields.number(line.next());
                break;
            case "jar":
                jar = line.next();
                break;
            case "config":
                config = line.next();
                break;
            case "set":
                options.put(line.next(), line.next());
                break;
            case "component":
                components.add(line.next());
                break;
            case "owns":
                componentPatterns.add(Arrays.asList(line.next(), line.next()));
                break;
            case "descendant":
                descendants.add(line.next());
                break;
            case "skipped":
                skipped.add(new String[] {line.next(), line.next()});
                break;
            case "skips":
                skips = TableFields.number(line.next());
                break;
            default:
                break;
        }
    }
}
