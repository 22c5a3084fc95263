package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.probe.Tags;
import io.weighbridge.runtime.probe.ThreadNames;
import java.util.Arrays;
import java.util.List;

/** Whose calls and objects a trace is of: asked before anything is recorded. */
public final class Filter {
    /** Passes all. */
    static final Filter EVERYBODY = new Filter(List.of(), null);
    private static final byte PASSES = 1;
    private static final byte FAILS = 2;

    /** Pairs of key and value that the innermost scopes must have. */
    private final List<String[]> scopes;
    /** Null for all threads. */
    private final String threads;
    /** By the id of a combination of scopes: 0 for one that was not met yet. */
    private volatile byte[] ofTags = new byte[16];
    /** Threads that were asked. What it holds is the JDK's, so that nothing keeps the runtime. */
    private final ThreadLocal<Boolean> ofThread = new ThreadLocal<>();

    /**
     * @param scopes pairs of key and value, all of which must be in force
     * @param threads a pattern of names, {@code *} for any characters; null for all
     */
    public Filter(List<String[]> scopes, String threads) {
        this.scopes = scopes;
        this.threads = threads;
    }

    /** Whether the current thread's work is of interest now. */
    boolean passes() {
        return (scopes.isEmpty() || passesByScope(Tags.current())) && (threads == null || passesByThread());
    }

    /** Whether all pass. */
    boolean isOpen() {
        return scopes.isEmpty() && threads == null;
    }

    private boolean passesByScope(int tags) {
        byte[] known = ofTags;
        byte answer = tags < known.length ? known[tags] : 0;
        return answer == 0 ? ask(tags) : answer == PASSES;
    }

    private synchronized boolean ask(int id) {
        Tags tags = Tags.of(id);
        boolean passes = true;
        for (String[] scope : scopes) {
            passes &= scope[1].equals(tags.valueOf(scope[0]));
        }
        byte[] known = Arrays.copyOf(ofTags, Math.max(ofTags.length, 2 * id + 1));
        known[id] = passes ? PASSES : FAILS;
        ofTags = known;
        return passes;
    }

    /** By the name that the thread had when it was first asked. */
    private boolean passesByThread() {
        Boolean known = ofThread.get();
        if (known == null) {
            known = ThreadNames.matches(threads, Thread.currentThread().getName());
            ofThread.set(known);
        }
        return known;
    }
}
