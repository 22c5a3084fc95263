package io.weighbridge.runtime.record;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.link.LinkTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The recording of this JVM. It writes header, jars and notes before the line that comes after them. Guarded by the lock of
 * whoever measures, but for {@link #linked} and {@link #path}.
 */
public final class Recording {
    private final long startedNs = System.nanoTime();
    private final Queue<LinkTable> unwritten = new ConcurrentLinkedQueue<>();
    /** For whoever begins to follow. */
    private final List<LinkTable> written = new ArrayList<>();
    /** The last moment that was asked for. */
    private long toldNs;
    private long toldMs = -1;
    /** Null for the session's own recording. */
    private final String run;
    /** How many notes it has. */
    private int notes;
    private RecordingFile file;
    private boolean headed;
    private boolean closed;
    private volatile String destfile;
    private volatile String sessionId;

    /** The session's. */
    public Recording() {
        this(null);
    }

    /** That of a run. */
    public Recording(String run) {
        this.run = run;
    }

    /**
     * The options of these names, until the file is made and has its header; {@code destfile}: null for no file. For any
     * thread.
     */
    public void use(String destfile, String sessionId) {
        this.destfile = destfile;
        this.sessionId = sessionId;
    }

    /** Since the JVM started, as far as its management tells; since this runtime started otherwise. For any thread. */
    public long uptimeMs() {
        CollectorBeans beans = Management.collectors();
        return beans != null ? beans.uptimeMs() : (System.nanoTime() - startedNs) / 1_000_000;
    }

    /**
     * The same of a moment in the past, by {@link System#nanoTime}. Asked again, it says the same: a marking is told more than once,
     * and whoever reads it compares.
     */
    long uptimeMs(long ns) {
        if (toldMs < 0 || ns != toldNs) {
            toldNs = ns;
            toldMs = Math.max(0, uptimeMs() - (System.nanoTime() - ns) / 1_000_000);
        }
        return toldMs;
    }

    /** A jar was linked: the next member has it. For any thread. */
    public void linked(LinkTable table) {
        unwritten.add(table);
    }

    /** Jars were linked since the last member. */
    public boolean hasNews() {
        return !unwritten.isEmpty();
    }

    /** Where it is or will be written; null for no file. */
    public String name() {
        return hasFile() ? file().path().toString() : null;
    }

    /** The file could not be written. */
    public boolean hasFailed() {
        return hasFile() && file().hasFailed();
    }

    private boolean hasFile() {
        return file != null || destfile != null;
    }

    /** Bytes so far. */
    public long bytes() {
        return hasFile() ? file().bytes() : 0;
    }

    /** Something was written. */
    public boolean isHeaded() {
        return headed;
    }

    /** Nothing is appended any more. */
    public void close() {
        if (hasFile()) {
            file().close();
        }
        closed = true;
    }

    /** Nothing more will be written. */
    public boolean isClosed() {
        return closed;
    }

    /** Appends one member: what has to come before the given lines, then the lines. */
    public void append(StringBuilder lines) {
        StringBuilder member = new StringBuilder();
        Json json = new Json(member);
        if (!headed) {
            LifeLines.header(json, sessionId, run, System.currentTimeMillis() - uptimeMs());
        }
        int links = 0;
        for (LinkTable table : unwritten) {
            LifeLines.link(json, table);
            links++;
        }
        List<Notices.Note> news = Notices.after(notes);
        for (Notices.Note note : news) {
            LifeLines.note(json, note);
        }
        member.append(lines);
        if (hasFile()) {
            file().append(member);
        }
        if (run == null && NativeAgent.isPresent() && NativeMethods.isFollowed()) {
            NativeMethods.publish(member.toString());
        }
        // Only now: if memory has run out above, the header and the rest must come first the next time.
        headed = true;
        for (; links > 0; links--) {
            written.add(unwritten.remove());
        }
        notes += news.size();
    }

    /** What was linked so far. */
    public List<LinkTable> tables() {
        List<LinkTable> tables = new ArrayList<>(written);
        tables.addAll(unwritten);
        return tables;
    }

    /** What a reader needs before the lines that come next. */
    public String beginning() {
        append(new StringBuilder());
        StringBuilder lines = new StringBuilder();
        Json json = new Json(lines);
        LifeLines.header(json, sessionId, run, System.currentTimeMillis() - uptimeMs());
        for (LinkTable table : written) {
            LifeLines.link(json, table);
        }
        // Those that came just now are in the next member.
        for (Notices.Note note : Notices.after(0).subList(0, notes)) {
            LifeLines.note(json, note);
        }
        return lines.toString();
    }

    private synchronized RecordingFile file() {
        if (file == null) {
            file = new RecordingFile(destfile);
        }
        return file;
    }
}
