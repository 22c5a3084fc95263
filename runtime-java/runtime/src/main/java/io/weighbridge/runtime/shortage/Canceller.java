package io.weighbridge.runtime.shortage;

import io.weighbridge.Cancelled;
import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.NativeAgent;

/** Ends a piece of work: asks it to end, and if the policy allows stops its thread. For the watching thread only. */
final class Canceller {
    /** Between two looks. */
    private static final long LOOK_MS = 2;
    /** Before it is stopped by force, work may end by itself for so long: a checkpoint is soon reached, or there is none. */
    private static final long OWN_MS = 20;
    private final Works works;

    Canceller(Works works) {
        this.works = works;
    }

    /** Cancels what the decision has chosen, and waits for its end. */
    void cancel(Decision decision, Policy policy) throws InterruptedException {
        Work work = decision.chosen.work;
        String reason = work.name() + " was cancelled by weighbridge: " + decision.cause.text();
        decision.action = Decision.COOPERATIVE;
        works.watch(work);
        try {
            long start = System.nanoTime();
            if (!work.cancel(reason, policy.interrupts)) {
                decision.ended = true;
                decision.reason = "it ended by itself";
                return;
            }
            works.poll(true);
            boolean forces = policy.forces && NativeAgent.isPresent();
            long own = forces ? Math.min(OWN_MS, policy.waitMs) : policy.waitMs;
            decision.ended = waitFor(work, start, own);
            if (!decision.ended && forces) {
                force(decision, work, reason, start, policy);
            } else if (!decision.ended && policy.forces) {
                decision.reason = "only the native agent can stop a thread";
            }
            decision.endedMs = (System.nanoTime() - start) / 1_000_000;
        } finally {
            works.poll(false);
            works.watch(null);
            work.spare();
        }
    }

    private static boolean waitFor(Work work, long start, long ms) throws InterruptedException {
        while (work.isOpen()) {
            if (System.nanoTime() - start >= ms * 1_000_000) {
                return false;
            }
            Thread.sleep(LOOK_MS);
        }
        return true;
    }

    private static void force(Decision decision, Work work, String reason, long start, Policy policy)
            throws InterruptedException {
        Cancelled error = Cancelled.withoutStack(reason);
        long left = policy.waitMs - (System.nanoTime() - start) / 1_000_000;
        int told = NativeMethods.stop(work.thread, work.isThread() ? null : work, error, left);
        if (told != NativeMethods.STOPPED) {
            decision.ended = !work.isOpen();
            decision.reason = decision.ended ? null : NativeMethods.stopOutcome(told);
            return;
        }
        decision.action = Decision.FORCED;
        // It runs its handlers and finally blocks.
        decision.ended = waitFor(work, System.nanoTime(), policy.waitMs);
        if (!decision.ended) {
            decision.reason = "it was stopped and has caught the error";
        }
    }
}
