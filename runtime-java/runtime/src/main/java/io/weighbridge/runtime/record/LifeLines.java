package io.weighbridge.runtime.record;

import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.jvm.ProcessId;
import io.weighbridge.runtime.jvm.Randomness;
import io.weighbridge.runtime.jvm.VmFlags;
import io.weighbridge.runtime.link.ClassLines;
import io.weighbridge.runtime.link.LinkTable;
import java.util.List;

/** Writes the lines about the JVM and its jars: {@code header}, {@code link}, {@code class}, {@code note}. */
public final class LifeLines {
    private static final int FORMAT = 1;

    private LifeLines() {
    }

    static void header(Json json, String sessionId, String run, long startedMs) {
        ObjectSizes sizes = ObjectSizes.get();
        VmFlags flags = sizes.flags();
        CollectorBeans beans = Management.collectors();
        json.line("header").field("format", FORMAT).field("version", version())
                .field("recording", Randomness.identity().toString()).field("session", sessionId).field("run", run)
                .field("started_ms", startedMs);
        long pid = ProcessId.get();
        json.open("jvm").field("pid", pid != ProcessId.UNKNOWN, pid).field("version", property("java.version"))
                .field("vendor", property("java.vendor")).field("name", property("java.vm.name"))
                .field("collector", beans == null ? null : beans.collector)
                .field("max_heap_bytes", Runtime.getRuntime().maxMemory())
                .field("compressed_oops", flags.compressedOops)
                .field("compressed_class_pointers", flags.compressedClassPointers)
                .field("compact_headers", flags.compactHeaders).field("object_alignment", flags.alignment)
                .field("header_bytes", sizes.headerBytes()).field("reference_bytes", sizes.referenceBytes())
                .field("main", main(property("sun.java.command"))).close();
        long ticks = ProcessId.startTicks();
        json.open("process").field("host", ProcessId.host()).field("pid_namespace", ProcessId.namespace())
                .field("start_ticks", ticks != ProcessId.UNKNOWN, ticks).close();
        json.field("sizes", sizes.kind()).field("access", FieldAccess.get().kind).endLine();
    }

    static void link(Json json, LinkTable table) {
        if (table.loader == null) {
            jar(json, table);
        }
        classes(json, table);
    }

    private static void jar(Json json, LinkTable table) {
        json.line("link").field("jar", table.jar).field("config", table.config).field("tool", table.tool)
                .field("base", table.base);
        json.array("skipped");
        for (String[] skip : table.skipped) {
            json.open().field("class", skip[0]).field("reason", skip[1]).close();
        }
        json.end().field("skipped_total", table.skips).endLine();
    }

    private static void classes(Json json, LinkTable table) {
        for (int i = 0; i < table.classes.size(); i++) {
            ClassLines.Line line = table.classes.get(i);
            json.line("class").field("id", table.base + i).field("class", line.name).field("component", line.component)
                    .field("track", line.live ? "live" : "count").field("jar", table.jar);
            if (table.loader != null) {
                json.field("loader", table.loader);
            }
            if (line.fields != null) {
                json.field("fields", List.of(line.fields));
            }
            json.endLine();
        }
    }

    static void note(Json json, Notices.Note note) {
        json.line("note").field("at_ms", note.atMs).field("text", note.text).endLine();
    }

    /** The runtime's version; not known without a jar's manifest (tests run from class folders). */
    public static String version() {
        String version = LifeLines.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }

    /** The main class or jar, without its folder and without the program's arguments. */
    static String main(String command) {
        if (command == null || command.isEmpty()) {
            return null;
        }
        int end = command.indexOf(' ');
        String first = end < 0 ? command : command.substring(0, end);
        return first.substring(Math.max(first.lastIndexOf('/'), first.lastIndexOf('\\')) + 1);
    }

    private static String property(String key) {
        try {
            return System.getProperty(key);
        } catch (SecurityException hidden) {
            return null;
        }
    }
}
