package io.weighbridge.runtime.shortage;

import io.weighbridge.runtime.probe.NamePattern;
import io.weighbridge.runtime.probe.ThreadNames;

/** What counts as a shortage, and what may be done about it: the options {@code shortage_*}. */
public final class Policy {
    /** How candidates are ranked. */
    public enum By {
        /** Bytes allocated since the work began. */
        ALLOCATED,
        /** Bytes that the thread holds alone, so that its end frees them: the options proprietary and releasable. */
        HELD,
        /** The time since it began. */
        OLDEST,
        /** The lowest priority of the thread; among equals, bytes allocated. */
        PRIORITY
    }

    /** Decides and does nothing. */
    public boolean observes;
    /** Percent of the old generation that may be used after a collection; 0 for no limit. */
    public int oldGeneration;
    /** Bytes a second that may be allocated; 0 for no limit. */
    public long allocation;
    /** Percent of the container's limit that may be used; 0 for no limit. */
    public int container;
    /** An {@code OutOfMemoryError} that is about to be thrown is a shortage. */
    public boolean exhausted;
    /** How candidates are ranked. */
    public By by;
    /** The program that measures exactly from a heap dump; null for the cheap measure. */
    public String analyser;
    /** Least bytes of a candidate, or with {@link #leastIsPercent} percent of the heap. */
    public long least;
    /** See {@link #least}. */
    public boolean leastIsPercent;
    /** Only a thread whose top frame is of no fixed class may be cancelled. */
    public boolean variableFrame;
    /** Patterns of names of threads that may be cancelled. */
    public String[] threads = {};
    /** Patterns {@code key=value} of scopes that may be cancelled. */
    public String[] scopes = {};
    /** Patterns of methods whose calls may be cancelled; the agent finds them. */
    public String[] methods = {};
    /** Patterns of methods with a gate. */
    public String[] gates = {};
    /** Patterns of methods that may run again. */
    public String[] retries = {};
    /** Interrupt the thread of cancelled work. */
    public boolean interrupts;
    /** Stop a thread that does not end by itself. */
    public boolean forces;
    /** Classes whose frames are system code. */
    public NamePattern[] fixed = {};
    /** How long cancelled work may take to end. */
    public long waitMs;
    /** Most cancelled in a minute. */
    public int perMinute;
    /** How long a gate may delay work. */
    public long admitWaitMs;

    /** Options that were given and do nothing without the native agent, joined; empty for none. */
    public String onlyByAgent = "";

    /** The least bytes of a candidate. */
    long leastBytes() {
        return leastIsPercent ? Runtime.getRuntime().maxMemory() / 100 * least : least;
    }

    /** Whether threads of this name may be cancelled. */
    boolean permitsThread(String name) {
        return any(threads, name);
    }

    /** Whether scopes with this tag may be cancelled. */
    boolean permitsScope(String key, String value) {
        return any(scopes, key + "=" + value);
    }

    /** Whether frames of this class are system code. */
    boolean isFixed(String className) {
        for (NamePattern pattern : fixed) {
            if (pattern.matches(className)) {
                return true;
            }
        }
        return false;
    }

    private static boolean any(String[] patterns, String name) {
        for (String pattern : patterns) {
            if (ThreadNames.matches(pattern, name)) {
                return true;
            }
        }
        return false;
    }
}
