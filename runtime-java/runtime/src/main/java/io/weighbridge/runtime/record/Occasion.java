package io.weighbridge.runtime.record;

import io.weighbridge.runtime.jvm.PauseBudget;
import java.util.ArrayList;
import java.util.List;

/** What a snapshot has besides the measurement. */
public final class Occasion {
    private static final String INTERVAL = "interval";
    /** A word of the recording's format. */
    public final String reason;
    /** Null unless a request gave one. */
    final String label;
    /** A full collection ran right before, on purpose, and was seen to happen. */
    public boolean collected;
    /** Nanoseconds: no stop of the program for this measurement is meant to be longer. */
    public final long grantedNs;
    /** Sentences about what is missing, because it would stop the program for longer. */
    public final List<String> leftOut = new ArrayList<>(2);
    /** Nanoseconds of CPU time that it may take without a longer interval; no bound where somebody waits for it. */
    public final long affordableNs;
    /** Null unless measurements at an interval are further apart than asked. */
    public Stretch stretch;

    /** Stops are as long as the owner grants for all of them; {@code label}: null for none. */
    public Occasion(String reason, String label) {
        this(reason, label, PauseBudget.granted());
    }

    /** With a grant for this measurement alone. */
    public Occasion(String reason, String label, long grantedNs) {
        this(reason, label, grantedNs, Long.MAX_VALUE);
    }

    private Occasion(String reason, String label, long grantedNs, long affordableNs) {
        this.reason = reason;
        this.label = label;
        this.grantedNs = grantedNs;
        this.affordableNs = affordableNs;
    }

    /** A measurement at an interval, which nobody waits for. */
    public static Occasion ofInterval(long affordableNs) {
        return new Occasion(INTERVAL, null, PauseBudget.granted(), affordableNs);
    }

    /** Whether it is one. */
    public boolean isInterval() {
        return reason.equals(INTERVAL);
    }

    /** The last measurement. If the JVM ends, nothing waits for the program any more, and each stop is granted. */
    public static Occasion ofEnd(String reason) {
        boolean endsJvm = reason.equals("exit") || reason.equals("sigterm");
        return new Occasion(reason, null, endsJvm ? Long.MAX_VALUE : PauseBudget.granted());
    }

    /** Keeps what is missing; null if nothing is. */
    public void leaveOut(String sentence) {
        if (sentence != null) {
            leftOut.add(sentence);
        }
    }
}
