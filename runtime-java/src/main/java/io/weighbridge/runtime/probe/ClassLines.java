package io.weighbridge.runtime.probe;

import java.util.Arrays;

/**
 * The {@code class} lines of one table, read from its text when needed: 8 bytes a line besides the text, which the bridge's constant
 * pool holds anyway. Most matched classes of most programs are never constructed.
 */
public final class ClassLines {
    private final String text;
    /** Where each class's name begins, and its hash. */
    private int[] starts = new int[16];
    private int[] hashes = new int[16];
    private int size;

    /** What one line says; its ordinal is the id within the jar. */
    public static final class Line {
        /** Dotted binary name. */
        public final String name;
        /** Tracked, not only counted. */
        public final boolean live;
        /** Null for none. */
        public final String component;
        /** Null for all. */
        public final String[] fields;
        /** Ordinal of the class whose constructors register objects of subclasses that are not instrumented; -1 for itself. */
        public final int registrar;
        /** Its constructors cannot tell its own objects from those of subclasses. */
        public final boolean blind;

        Line(String name, boolean live, String component, String[] fields, int registrar, boolean blind) {
            this.name = name;
            this.live = live;
            this.component = component;
            this.fields = fields;
            this.registrar = registrar;
            this.blind = blind;
        }
    }

    ClassLines(String text) {
        this.text = text;
    }

    /** Takes a line, of which the kind is read, for the next ordinal's. */
    public void add(TableFields line) {
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, size * 2);
            hashes = Arrays.copyOf(hashes, size * 2);
        }
        starts[size] = line.position();
        hashes[size++] = line.next().hashCode();
    }

    /** No line is added any more. */
    public void trim() {
        starts = Arrays.copyOf(starts, size);
        hashes = Arrays.copyOf(hashes, size);
    }

    /** How many classes. */
    public int size() {
        return size;
    }

    /** {@link String#hashCode} of a class's name. */
    int hash(int ordinal) {
        return hashes[ordinal];
    }

    /** The dotted binary name of a class. */
    public String name(int ordinal) {
        return fields(ordinal).next();
    }

    /** What the line of a class says. */
    public Line get(int ordinal) {
        TableFields line = fields(ordinal);
        String name = line.next();
        boolean live = !line.next().equals("count");
        String component = null;
        String[] fields = null;
        int registrar = -1;
        boolean blind = false;
        for (String slot = line.next(); !slot.isEmpty(); slot = line.next()) {
            int equals = slot.indexOf('=');
            String value = slot.substring(equals + 1);
            switch (equals < 0 ? slot : slot.substring(0, equals)) {
                case "component":
                    component = value;
                    break;
                case "fields":
                    fields = value.split(",");
                    break;
                case "registrar":
                    registrar = (int) TableFields.number(value);
                    break;
                case "blind":
                    blind = true;
                    break;
                default:
                    break;
            }
        }
        return new Line(name, live, component, fields, registrar, blind);
    }

    private TableFields fields(int ordinal) {
        int start = starts[ordinal];
        int end = text.indexOf('\n', start);
        return new TableFields(text, start, end < 0 ? text.length() : end);
    }
}
