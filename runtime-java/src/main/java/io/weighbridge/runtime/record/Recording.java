package io.weighbridge.runtime.record;

import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.link.LinkTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The recording of this JVM. It writes header, jars and notes before the line that comes after them. Guarded by the lock of
 * whoever measures, but for {@link #linked} and {@link #path}.
 */
public final class Recording {
    private final Program program;
    private final Queue<LinkTable> unwritten = new ConcurrentLinkedQueue<>();
    private RecordingFile file;
    private boolean headed;
    private boolean closed;

    /** What a recording begins with, asked when it does. */
    public interface Program {
        /** The option {@code destfile}. */
        String destfile();

        /** The option {@code sessionid}, or null. */
        String sessionId();

        /** When the JVM started, by the wall clock. */
        long startedMs();
    }

    /** Makes no file yet. */
    public Recording(Program program) {
        this.program = program;
    }

    /** A jar has met the runtime: the next member tells of it. For any thread. */
    public void linked(LinkTable table) {
        unwritten.add(table);
    }

    /** Jars were linked since the last member. */
    public boolean hasNews() {
        return !unwritten.isEmpty();
    }

    /** Where it is or will be written. */
    public Path path() {
        return file().path();
    }

    /** Bytes so far. */
    public long bytes() {
        return file().bytes();
    }

    /** Something was written. */
    public boolean isHeaded() {
        return headed;
    }

    /** Nothing is appended any more. */
    public void close() {
        file().close();
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
            LifeLines.header(json, program.sessionId(), program.startedMs());
        }
        int links = 0;
        for (LinkTable table : unwritten) {
            LifeLines.link(json, table);
            links++;
        }
        List<Notices.Note> notes = Notices.unwritten();
        for (Notices.Note note : notes) {
            LifeLines.note(json, note);
        }
        file().append(member.append(lines));
        // Only now: memory may have run out on the way, and what came first must then come first the next time.
        headed = true;
        for (; links > 0; links--) {
            unwritten.remove();
        }
        Notices.written(notes.size());
    }

    private synchronized RecordingFile file() {
        if (file == null) {
            file = new RecordingFile(program.destfile());
        }
        return file;
    }
}
