package io.weighbridge.runtime.record;

import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.ProcessId;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.zip.GZIPOutputStream;

/**
 * The recording's file: one gzip member (RFC 1952) for each call, complete on return.
 *
 * <p>The file is made at the first call and never replaces another: if the name is taken, a number is
 * added. After a failure the runtime goes on without a file. Not safe for concurrent use; the session's lock
 * guards it.
 */
public final class RecordingFile {
    private static final int MOST_NAMES = 10_000;
    private final Path wanted;
    private Path path;
    /** Not a channel, which would close itself when a measuring thread is interrupted. */
    private FileOutputStream file;
    private boolean failed;
    private long bytes;

    /** {@code pattern}: {@code %p} is the process id, {@code %t} the UTC time as yyyyMMdd-HHmmss, {@code %%} a percent sign. */
    RecordingFile(String pattern) {
        wanted = Paths.get(expand(pattern)).toAbsolutePath();
    }

    /** The path that a pattern stands for now. */
    public static String expand(String pattern) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            char kind = c == '%' && i + 1 < pattern.length() ? pattern.charAt(i + 1) : 0;
            if (kind == 'p') {
                long pid = ProcessId.get();
                name.append(pid == ProcessId.UNKNOWN ? "unknown" : Long.toString(pid));
            } else if (kind == 't') {
                name.append(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").format(LocalDateTime.now(ZoneOffset.UTC)));
            } else if (kind == '%') {
                name.append('%');
            } else {
                name.append(c);
                continue;
            }
            i++;
        }
        return name.toString();
    }

    /** Appends whole lines as one member. */
    void append(StringBuilder lines) {
        if (failed) {
            return;
        }
        try {
            ByteArrayOutputStream member = new ByteArrayOutputStream(lines.length() / 4 + 64);
            try (GZIPOutputStream gzip = new GZIPOutputStream(member, 4096)) {
                gzip.write(lines.toString().getBytes(StandardCharsets.UTF_8));
            }
            if (file == null) {
                create();
            }
            member.writeTo(file);
            bytes += member.size();
        } catch (IOException | RuntimeException e) {
            failed = true;
            Notices.warn("the recording " + (path == null ? wanted : path) + " cannot be written, going on without: " + e);
        }
    }

    private void create() throws IOException {
        if (wanted.getParent() != null) {
            Files.createDirectories(wanted.getParent());
        }
        String name = wanted.getFileName().toString();
        int dot = name.lastIndexOf('.') > 0 ? name.lastIndexOf('.') : name.length();
        for (int i = 0; i < MOST_NAMES; i++) {
            path = i == 0 ? wanted : wanted.resolveSibling(name.substring(0, dot) + "-" + i + name.substring(dot));
            try {
                Files.createFile(path);
                file = new FileOutputStream(path.toFile());
                return;
            } catch (FileAlreadyExistsException taken) {
                // The next name.
            }
        }
        throw new FileAlreadyExistsException(wanted.toString());
    }

    /** Where it is, or will be if the name is free. */
    Path path() {
        return path == null ? wanted : path;
    }

    /** It could not be written, or is closed. */
    boolean hasFailed() {
        return failed;
    }

    long bytes() {
        return bytes;
    }

    void close() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            Notices.failure("the recording could not be closed", e);
        }
        failed = true;
    }
}
