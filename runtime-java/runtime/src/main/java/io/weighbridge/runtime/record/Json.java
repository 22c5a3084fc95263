package io.weighbridge.runtime.record;

import java.util.List;

/**
 * Writes one line of JSON (RFC 8259). Keys are literals of ours and not escaped; null values are left out, which
 * in a recording means "not measured".
 */
public final class Json {
    private final StringBuilder out;
    private boolean separate;

    /** Appends to a text. */
    public Json(StringBuilder out) {
        this.out = out;
    }

    /** Opens a line of a kind. */
    public Json line(String kind) {
        return open().field("kind", kind);
    }

    /** Opens an object. */
    public Json open() {
        comma().append('{');
        separate = false;
        return this;
    }

    /** Opens an object below a key. */
    public Json open(String key) {
        key(key).append('{');
        separate = false;
        return this;
    }

    /** Closes an object. */
    public Json close() {
        out.append('}');
        separate = true;
        return this;
    }

    /** Opens an array below a key. */
    public Json array(String key) {
        key(key).append('[');
        separate = false;
        return this;
    }

    /** Closes an array. */
    public Json end() {
        out.append(']');
        separate = true;
        return this;
    }

    /** Closes a line. */
    public void endLine() {
        out.append("}\n");
        separate = false;
    }

    /** A number. */
    public Json field(String key, long value) {
        key(key).append(value);
        return this;
    }

    /** Leaves the key out unless {@code measured}. */
    public Json field(String key, boolean measured, long value) {
        return measured ? field(key, value) : this;
    }

    /** A truth value. */
    public Json field(String key, boolean value) {
        key(key).append(value);
        return this;
    }

    /** A text; left out if null. */
    public Json field(String key, String value) {
        if (value != null) {
            quote(key(key), value);
        }
        return this;
    }

    /** JSON as it is. */
    public Json written(String key, String json) {
        key(key).append(json);
        return this;
    }

    /** An array of texts. */
    public Json field(String key, List<String> values) {
        array(key);
        for (String value : values) {
            quote(comma(), value);
        }
        return end();
    }

    /** An array of numbers. */
    public Json field(String key, int[] values) {
        array(key);
        for (int value : values) {
            comma().append(value);
        }
        return end();
    }

    /** The same. */
    public Json field(String key, long[] values) {
        array(key);
        for (long value : values) {
            comma().append(value);
        }
        return end();
    }

    private StringBuilder key(String key) {
        return comma().append('"').append(key).append("\":");
    }

    private StringBuilder comma() {
        if (separate) {
            out.append(',');
        }
        separate = true;
        return out;
    }

    /** Appends a text alone, in quotes. */
    public static void quote(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
            } else if (Character.isSurrogate(c) && !paired(text, i)) {
                // The backslash is escaped: parsers refuse the escape of half a character.
                out.append("\\\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    /**
     * Names may have an unpaired surrogate (JVMS 4.2.1 allows it, and names of threads and tags are cut anywhere). It has no
     * UTF-8 form (RFC 8259, 8.2), so it is written as its number: six characters that start with a backslash.
     */
    private static boolean paired(String text, int i) {
        char c = text.charAt(i);
        return Character.isHighSurrogate(c)
                ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }
}
