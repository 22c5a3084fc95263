package io.weighbridge.runtime;

import java.util.Arrays;

/**
 * The {@code class} lines of one table, read where they stand: 8 bytes a line besides the text, which the bridge's constant
 * pool holds anyway. Most matched classes of most programs are never constructed.
 */
final class ClassLines {
    private final String text;
    /** Where each class's name begins, and its hash. */
    private int[] starts = new int[16];
    private int[] hashes = new int[16];
    private int size;

    /** What one line says; its ordinal is the id within the jar. */
    static final class Line {
        final String name;
        final boolean live;
        /** Null for none. */
        final String component;
        /** Null for all. */
        final String[] fields;
        /** Ordinal of the class whose constructors register objects of subclasses that are not instrumented; -1 for itself. */
        final int registrar;
        /** Its constructors cannot tell its own objects from those of subclasses. */
        final boolean blind;

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
    void add(TableFields line) {
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, size * 2);
            hashes = Arrays.copyOf(hashes, size * 2);
        }
        starts[size] = line.position();
        hashes[size++] = line.next().hashCode();
    }

    /** No line is added any more. */
    void trim() {
        starts = Arrays.copyOf(starts, size);
        hashes = Arrays.copyOf(hashes, size);
    }

    int size() {
        return size;
    }

    /** {@link String#hashCode} of a class's name. */
    int hash(int ordinal) {
        return hashes[ordinal];
    }

    /** The dotted binary name of a class. */
    String name(int ordinal) {
        return fields(ordinal).next();
    }

    Line get(int ordinal) {
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
