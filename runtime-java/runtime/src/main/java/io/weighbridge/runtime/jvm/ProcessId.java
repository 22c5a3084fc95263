package io.weighbridge.runtime.jvm;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The id of this process, and what distinguishes it from other processes with the same id. */
public final class ProcessId {
    /** It is not known: a security manager hides it, or memory was short when the JDK first looked. */
    public static final long UNKNOWN = -1;
    /** Fields between a process's name and its start in {@code /proc/self/stat} (proc_pid_stat(5): 3 to 21). */
    private static final int BEFORE_START = 19;

    private ProcessId() {
    }

    /** The id of this process as the system has it, or {@link #UNKNOWN}. */
    public static long get() {
        try {
            return ProcessHandle.current().pid();
        } catch (SecurityException | LinkageError hidden) {
            return UNKNOWN;
        }
    }

    /** When this process started, clock ticks since the machine's start. Only Linux says. */
    public static long startTicks() {
        String stat = text("/proc/self/stat");
        // The name may hold spaces and brackets.
        String[] fields = stat == null ? new String[0] : stat.substring(stat.lastIndexOf(')') + 1).trim().split(" ");
        try {
            return fields.length > BEFORE_START ? Long.parseLong(fields[BEFORE_START]) : UNKNOWN;
        } catch (NumberFormatException strange) {
            return UNKNOWN;
        }
    }

    /** The machine's own name for itself, or null. No name server is asked: that can take seconds. */
    public static String host() {
        String name = text("/proc/sys/kernel/hostname");
        return name == null || name.isBlank() ? null : name.trim();
    }

    /** The namespace of process ids, or null: a container has its own. Only Linux says. */
    public static String namespace() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        } catch (IOException | RuntimeException | LinkageError absent) {
            return null;
        }
    }

    private static String text(String file) {
        try (InputStream in = new FileInputStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException | RuntimeException | LinkageError absent) {
            return null;
        }
    }
}
