package io.weighbridge.runtime.shortage;

import io.weighbridge.runtime.record.Json;
import java.util.List;

/** What was decided at one moment of a shortage, with its reasons and figures: a {@code shortage} line of the recording. */
final class Decision {
    static final String NOTHING = "none";
    static final String WOULD_CANCEL = "would_cancel";
    static final String COOPERATIVE = "cooperative";
    static final String FORCED = "forced";
    /** Of the candidates that were looked at, so many are in the line. */
    private static final int LISTED = 10;

    final long number;
    final long atMs = System.currentTimeMillis();
    private final long beganNs = System.nanoTime();
    final boolean observes;
    final Cause cause;
    /** From the moment that the shortage was first seen, with what made it certain; of a later candidate from the one before. */
    long decidedMs;
    /** By collections, and by heap dumps of ours: from the shortage to the end. */
    long pauseMs;
    /** How long the exact measure stopped the program, at most; negative if there was none. */
    long stoppedMs = -1;
    /** Why there was no exact measure though it was asked for. */
    String unmeasured;
    List<Candidate> candidates = List.of();
    /** Null for none. */
    Candidate chosen;
    String action = NOTHING;
    /** In a sentence. */
    String reason;
    /** The chosen work has ended. */
    boolean ended;
    long endedMs;
    long usedBefore;
    /** Measured after a collection; negative if that is not known. */
    long usedAfter = -1;
    boolean resolved;

    Decision(long number, Cause cause, boolean observes) {
        this.number = number;
        this.cause = cause;
        this.observes = observes;
    }

    /** {@code isFirst}: the time counts from when the shortage was first seen. */
    void decidedNow(boolean isFirst) {
        decidedMs = (System.nanoTime() - (isFirst ? cause.seenNs : beganNs)) / 1_000_000;
    }

    /** Bytes freed after the work had ended. What others allocated meanwhile makes it less. */
    long freed() {
        return Math.max(0, usedBefore - usedAfter);
    }

    /** For people: one line on standard error. */
    String text() {
        StringBuilder text = new StringBuilder("memory is short: ").append(cause.text()).append("; ");
        if (chosen == null) {
            return text.append("nothing is cancelled: ").append(reason).toString();
        }
        text.append(chosen.name);
        if (!chosen.work.isThread()) {
            text.append(" on ").append(chosen.threadName);
        }
        if (observes) {
            return text.append(" would be cancelled (dry run)").toString();
        }
        text.append(ended ? " was cancelled (" + action + ") and ended after " + endedMs + " ms" : " was cancelled and did not end");
        if (reason != null) {
            text.append(" (").append(reason).append(')');
        }
        if (usedAfter >= 0) {
            text.append("; ").append(Cause.mib(freed())).append(" are free again");
        }
        return text.append(resolved ? "" : "; memory is still short").toString();
    }

    void write(Json json, long uptimeMs, Admission admission) {
        json.line("shortage").field("at_ms", atMs).field("uptime_ms", uptimeMs).field("number", number)
                .field("dry_run", observes).field("cause", cause.kind).field("used_bytes", cause.used)
                .field("limit_bytes", cause.limit).field("decided_ms", decidedMs).field("pause_ms", pauseMs)
                .field("dump_ms", stoppedMs >= 0, stoppedMs).field("unmeasured", unmeasured).field("action", action)
                .field("reason", reason).field("resolved", resolved).field("candidates_total", candidates.size());
        json.array("candidates");
        int listed = 0;
        for (Candidate candidate : candidates) {
            if (listed < LISTED || candidate == chosen) {
                candidate.write(json);
                listed++;
            }
        }
        json.end();
        if (chosen != null) {
            json.field("chosen", chosen.name).field("chosen_thread", chosen.threadName)
                    .field("predicted_bytes", chosen.predicted() >= 0, chosen.predicted())
                    .field("ended", ended).field("ended_ms", ended, endedMs)
                    .field("freed_bytes", usedAfter >= 0, freed());
        }
        json.field("used_before_bytes", usedBefore).field("used_after_bytes", usedAfter >= 0, usedAfter)
                .field("delayed", admission.delayed()).field("refused", admission.refused()).endLine();
    }
}
