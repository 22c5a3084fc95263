package io.weighbridge.runtime.events;

import io.weighbridge.runtime.record.Json;
import java.nio.charset.StandardCharsets;

/** Lines of names, JSON arrays, until they are written. */
final class NameLines {
    private StringBuilder out = new StringBuilder();
    private boolean first;

    synchronized void vm(String version, String name, int alignment, String header, boolean unique) {
        out.append("[\"vm\",{\"version\":");
        quote(version);
        out.append(",\"name\":");
        quote(name);
        out.append(",\"alignment\":").append(alignment).append(",\"header\":");
        quote(header);
        out.append(",\"unique_numbers\":").append(unique).append("}]\n");
    }

    synchronized void array(int number, String name, int above, int base, int shift) {
        start("array", number, name).append(',').append(above).append(',').append(base).append(',').append(shift)
                .append("]\n");
    }

    synchronized void unprepared(int number, String name, int above) {
        start("class", number, name).append(',').append(above).append(",0,{},{}]\n");
    }

    /** The line of a class goes on with two groups of fields: in a text of its own, for nothing may come between. */
    void startClass(int number, String name, int above, long bytes) {
        start("class", number, name).append(',').append(above).append(',').append(bytes);
    }

    void startFields() {
        out.append(",{");
        first = true;
    }

    void field(long offset, String name) {
        out.append(first ? "\"" : ",\"").append(offset).append("\":");
        quote(name);
        first = false;
    }

    void endFields() {
        out.append('}');
    }

    void endClass() {
        out.append("]\n");
    }

    synchronized void classObject(int number, long bytes) {
        out.append("[\"class object\",").append(number).append(',').append(bytes).append("]\n");
    }

    synchronized void mark(long clock, String text) {
        out.append("[\"mark\",").append(clock).append(',');
        quote(text);
        out.append("]\n");
    }

    /** The fields of which a flag is set. */
    synchronized void flags(String kind, boolean[][] pages) {
        out.append("[\"").append(kind).append("\",[");
        boolean separate = false;
        for (int page = 0; page < pages.length; page++) {
            for (int i = 0; pages[page] != null && i < pages[page].length; i++) {
                if (pages[page][i]) {
                    out.append(separate ? "," : "").append(page * pages[page].length + i);
                    separate = true;
                }
            }
        }
        out.append("]]\n");
    }

    synchronized void add(String lines) {
        out.append(lines);
    }

    synchronized void add(NameLines others) {
        out.append(others.out);
    }

    /** The lines so far, which are forgotten; null if there are fewer than {@code least} characters. */
    synchronized byte[] take(int least) {
        if (out.length() < least) {
            return null;
        }
        byte[] bytes = out.toString().getBytes(StandardCharsets.UTF_8);
        out = new StringBuilder();
        return bytes;
    }

    private StringBuilder start(String kind, int number, String name) {
        out.append("[\"").append(kind).append("\",").append(number).append(',');
        quote(name);
        return out;
    }

    private void quote(String text) {
        Json.quote(out, text);
    }
}
