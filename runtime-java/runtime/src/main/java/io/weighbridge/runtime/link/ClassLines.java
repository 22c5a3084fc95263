package io.weighbridge.runtime.link;

import java.util.Arrays;

/**
 * The {@code class} lines of one table, read from its text when needed: most matched classes of most programs are never
 * constructed. 8 bytes a line besides the text, which the bridge's constant pool holds anyway.
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
        public String component;
        /** Null for all. */
        public String[] fields;
        /** Ordinal of the class whose constructors register objects of subclasses that are not instrumented; -1 for itself. */
        public int registrar = -1;
        /** Its constructors cannot tell its own objects from those of subclasses. */
        public boolean blind;
        /** It overrides {@code clone()}. */
        public boolean clones;

        private Line(TableFields line) {
            name = line.next();
            live = !line.next().equals("count");
            for (String field = line.next(); !field.isEmpty(); field = line.next()) {
                int equals = field.indexOf('=');
                String value = field.substring(equals + 1);
                switch (equals < 0 ? field : field.substring(0, equals)) {
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
                    case "clones":
                        clones = true;
                        break;
                    default:
                        break;
                }
            }
        }
    }

    ClassLines(String text) {
        this.text = text;
    }

    /** Adds the line of the next ordinal, of which the kind is read. */
    void add(TableFields line) {
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, size * 2);
            hashes = Arrays.copyOf(hashes, size * 2);
        }
        starts[size] = line.position();
        hashes[size++] = line.next().hashCode();
    }

    /** All lines are added. */
    void trim() {
        starts = Arrays.copyOf(starts, size);
        hashes = Arrays.copyOf(hashes, size);
    }

    /** How many classes. */
    public int size() {
        return size;
    }

    /** {@link String#hashCode} of a class's name. */
    public int hash(int ordinal) {
        return hashes[ordinal];
    }

    /** The dotted binary name of a class. */
    public String name(int ordinal) {
        return fields(ordinal).next();
    }

    /** What the line of a class says. */
    public Line get(int ordinal) {
        return new Line(fields(ordinal));
    }

    private TableFields fields(int ordinal) {
        int start = starts[ordinal];
        int end = text.indexOf('\n', start);
        return new TableFields(text, start, end < 0 ? text.length() : end);
    }
}
