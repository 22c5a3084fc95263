package io.weighbridge.runtime.link;

/** The fields of one line of a table, from left to right (docs/probe-contract.md, "The table"). */
final class TableFields {
    private final String text;
    private final int end;
    private int at;

    /** The line between two indices of the text, without its line feed. */
    TableFields(String text, int start, int end) {
        this.text = text;
        this.at = start;
        this.end = end;
    }

    /** The next field; empty if it is missing. */
    String next() {
        int start = position();
        int stop = start;
        while (stop < end && text.charAt(stop) != '\t') {
            stop++;
        }
        at = stop + 1;
        String field = text.substring(start, stop);
        return field.indexOf('\\') < 0 ? field : unescaped(field);
    }

    /** Where the next field begins; the line's end if it is missing. */
    int position() {
        return Math.min(at, end);
    }

    private static String unescaped(String field) {
        StringBuilder plain = new StringBuilder(field.length());
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == '\\' && i + 1 < field.length()) {
                char escaped = field.charAt(++i);
                c = escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped;
            }
            plain.append(c);
        }
        return plain.toString();
    }

    /** A field as a number; 0 if it is none. */
    static long number(String field) {
        try {
            return Long.parseLong(field);
        } catch (NumberFormatException notOurs) {
            return 0;
        }
    }
}
