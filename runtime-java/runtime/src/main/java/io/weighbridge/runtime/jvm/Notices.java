package io.weighbridge.runtime.jvm;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Messages of the runtime: a line on standard error, and a {@code note} in each recording.
 *
 * <p>Each text is told once. The line goes to the file descriptor, because {@code System.err} may be the program's own
 * stream, and a warning must not call the program.
 */
public final class Notices {
    /** So that ever new texts do not fill the memory. */
    private static final int MOST = 200;
    private static final Set<String> SAID = new HashSet<>();
    private static final List<Note> NOTES = new ArrayList<>();

    private Notices() {
    }

    /** Loads this class while there is memory and stack for it. */
    public static void ready() {
    }

    /** A text and when it was said. */
    public static final class Note {
        /** By the wall clock. */
        public final long atMs = System.currentTimeMillis();
        /** One line, which may hold any character. */
        public final String text;

        Note(String text) {
            this.text = text;
        }
    }

    /** For recordings only. */
    public static boolean note(String text) {
        synchronized (SAID) {
            if (SAID.size() >= MOST || !SAID.add(text)) {
                return false;
            }
            NOTES.add(new Note(text));
            return true;
        }
    }

    /** For recordings and for whoever started the program. */
    public static void warn(String text) {
        if (note(text)) {
            print(text);
        }
    }

    /** For whoever started the program, as often as it is said. */
    public static void tell(String text) {
        print(text);
    }

    /** A failure of the runtime itself; the program goes on. */
    public static void failure(String what, Throwable t) {
        try {
            Throwable cause = t.getCause();
            warn(what + ": " + t + (cause == null ? "" : ", because of " + cause));
        } catch (Throwable noMemory) {
            // No memory to tell it with.
        }
    }

    /** The notes after the first ones, of which a recording has so many. */
    public static List<Note> after(int first) {
        synchronized (SAID) {
            return new ArrayList<>(NOTES.subList(first, NOTES.size()));
        }
    }

    /** The text may have names of the program's: what would begin a line or move the cursor is escaped. */
    static String printable(String text) {
        StringBuilder line = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT) {
                line.append("\\u").append(Integer.toHexString(c | 0x10000).substring(1));
            } else {
                line.append(c);
            }
        }
        return line.toString();
    }

    private static void print(String text) {
        byte[] line = ("weighbridge: " + printable(text) + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
        try {
            new FileOutputStream(FileDescriptor.err).write(line);
        } catch (Throwable closed) {
            // Standard error is closed.
        }
    }
}
