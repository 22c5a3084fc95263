package io.weighbridge.runtime.shortage;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.HeapUse;
import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.record.Json;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The thread that looks for a shortage and acts on it: a daemon of its own, because measurements may take seconds.
 *
 * <p>In the order of things: {@link Pressure} says that memory is short; the gate closes ({@link Admission}); the candidates are
 * measured and judged ({@link Candidates}); the first that may be cancelled is ({@link Canceller}); memory is collected and
 * looked at. Then the next candidate, at most {@code per_minute}. Each {@link Decision} goes to the recording and to standard
 * error. A heap that is full for this thread too makes it try again; it has a reserve for that.
 */
public final class Watch implements Runnable {
    private static final long LOOK_MS = 100;
    /** The same while a shortage may come soon. */
    private static final long NEAR_MS = 10;
    private static final long MINUTE_NS = 60_000_000_000L;
    /** After a decision that has not ended the shortage, twice as long after the next: a full heap may stay full for days. */
    private static final long REST_NS = 2_000_000_000L;
    private static final int KEPT = 20;
    private static final int RESERVE = 256 << 10;
    private static final long PATIENCE_MS = 1000;
    private static final int WAIT_TIMES = 4;

    /** Takes lines of the recording. */
    public interface Recorder {
        /** False if it cannot take them now: they are offered again. */
        boolean record(StringBuilder lines);

        /** Milliseconds since the JVM started. */
        long uptimeMs();
    }

    volatile Policy policy;
    private final Works works;
    private final Admission admission;
    private final Recorder recorder;
    private final Candidates candidates;
    private final Canceller canceller;
    private final Object turn = new Object();
    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    private final Deque<Long> cancelled = new ArrayDeque<>();
    /** What did not end in this shortage. */
    private final List<Work> spared = new ArrayList<>();
    /** Lines that the recording has not taken. Guarded by itself. */
    private final StringBuilder unwritten = new StringBuilder();
    /** The last lines. Guarded by itself. */
    private final Deque<String> kept = new ArrayDeque<>();
    private Pressure pressure;
    private WeakReference<Object> sentinel;
    private byte[] reserve = new byte[RESERVE];
    private volatile Thread thread;
    private volatile boolean ended;
    private boolean watchesExhaustion;
    private long decisions;
    private long nextDecision = System.nanoTime();
    private long rest;
    /** How many shortages are over, and whether the last one was resolved. Guarded by {@link #turn}. */
    private long over;
    private boolean resolved;
    /** A thread of the program waits for what comes of its error. */
    private volatile boolean awaited;
    /** A decision is under way. */
    private volatile boolean acts;

    Watch(Works works, Admission admission, Policy policy, Recorder recorder) {
        this.works = works;
        this.admission = admission;
        this.policy = policy;
        this.recorder = recorder;
        candidates = new Candidates(works);
        canceller = new Canceller(works);
    }

    void start() {
        Thread own = new Thread(null, this, "weighbridge-shortage", 0, false);
        own.setDaemon(true);
        own.setContextClassLoader(ClassLoader.getSystemClassLoader());
        thread = own;
        own.start();
    }

    void end() {
        ended = true;
        Thread running = thread;
        if (running != null && running != Thread.currentThread()) {
            running.interrupt();
            try {
                running.join(PATIENCE_MS);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
        works.poll(false);
        works.abandon();
        admission.set(false, 0);
    }

    void exhausted() {
        Pressure now = pressure;
        if (now != null) {
            now.exhausted();
            wake();
        }
    }

    /** Ends the wait for a collection. */
    private void wake() {
        WeakReference<Object> armed = sentinel;
        if (armed != null) {
            armed.enqueue();
        }
    }

    /** Reports that the heap is exhausted, and waits for what comes of it: whether memory is free again. For a program's thread. */
    boolean resolve() {
        Policy now = policy;
        long left = now.waitMs * WAIT_TIMES;
        long deadline = System.nanoTime() + left * 1_000_000;
        synchronized (turn) {
            long before = over;
            awaited = true;
            exhausted();
            try {
                while (over == before && left > 0 && !ended) {
                    turn.wait(left);
                    left = (deadline - System.nanoTime()) / 1_000_000;
                }
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return false;
            }
            return over != before && resolved;
        }
    }

    @Override
    public void run() {
        try {
            pressure = new Pressure();
            rehearse();
            while (!ended) {
                int entered = Inside.enterForLong();
                try {
                    look();
                } catch (VirtualMachineError full) {
                    // HotSpot's beans say InternalError if they have no memory.
                    reserve = null;
                } finally {
                    Inside.leave(entered);
                }
            }
        } catch (InterruptedException stop) {
            // The runtime ends.
        } catch (Throwable t) {
            Notices.failure("memory shortages are no longer seen", t);
        } finally {
            admission.set(false, 0);
        }
    }

    /** Uses once what a decision needs: a class that is loaded while the heap is full could never be used again (JVMS 5.5). */
    private void rehearse() {
        Decision decision = new Decision(0, new Cause(Cause.EXHAUSTED, 0, 0, System.nanoTime(), 0), true);
        decision.candidates = candidates.found(policy, spared);
        if (policy.analyser != null) {
            candidates.exact().rehearse();
        }
        Work work = Works.ofThread(Thread.currentThread(), 0);
        decision.chosen = new Candidate(work);
        decision.text();
        decision.write(new Json(new StringBuilder()), recorder.uptimeMs(), admission);
        works.watch(work);
        works.due();
        works.watch(null);
    }

    private void look() throws InterruptedException {
        if (awaited || NativeAgent.isPresent() && NativeMethods.isExhausted()) {
            pressure.exhausted();
        }
        Policy now = policy;
        if (reserve == null && pressure.isRelaxed(now)) {
            reserve = new byte[RESERVE];
        }
        if (NativeAgent.isPresent() && now.exhausted != watchesExhaustion) {
            watchesExhaustion = now.exhausted;
            NativeMethods.watchExhaustion(watchesExhaustion);
        }
        candidates.look(now);
        Cause cause = pressure.look(now);
        if (cause != null && (System.nanoTime() - nextDecision >= 0 || mayCancel(now))) {
            act(cause, now);
        } else if (awaited) {
            // The policy does not count it, or a decision has just freed nothing; others may have ended meanwhile.
            answer(pressure.isOver(cause == null ? pressure.exhaustion() : cause, now));
        } else if (admission.isShort()) {
            // What was freed may be garbage that nobody collects, because the work that would allocate waits.
            if (!pressure.isRelaxed(now) && pressure.mayCollect() && admission.isAsked()) {
                pressure.collect();
            }
            admission.set(!pressure.isRelaxed(now), pressure.room());
        }
        if (cause == null && rest > 0 && System.nanoTime() - nextDecision >= 0) {
            rest = 0;
        }
        write();
        if (sentinel == null || sentinel.get() == null) {
            sentinel = new WeakReference<>(new Object(), queue);
        }
        queue.remove(pressure.isNear(now) ? NEAR_MS : LOOK_MS);
    }

    /** Whether something may be cancelled, though the last decision has found nothing. The exact measure is too dear to ask. */
    private boolean mayCancel(Policy now) {
        if (now.analyser != null || now.observes) {
            return false;
        }
        for (Candidate candidate : candidates.found(now, spared)) {
            if (candidate.refused == null) {
                return true;
            }
        }
        return false;
    }

    /** Decides, and goes on to the next candidate until memory is free again or nothing may be cancelled. */
    private void act(Cause cause, Policy now) throws InterruptedException {
        boolean isOver = false;
        acts = true;
        try {
            if (!now.observes) {
                admission.set(true, pressure.room());
            }
            Decision decision = null;
            do {
                decision = decide(cause, now, decision == null);
                isOver = decision.resolved;
            } while (!isOver && decision.chosen != null && !now.observes && !ended);
            spared.clear();
            rest = isOver ? 0 : Math.min(MINUTE_NS, Math.max(REST_NS, rest * 2));
            nextDecision = System.nanoTime() + rest;
        } finally {
            if (!now.observes) {
                admission.set(!isOver, pressure.room());
            }
            answer(isOver);
        }
    }

    /** To those that wait in {@link #resolve}. */
    private void answer(boolean isOver) {
        synchronized (turn) {
            if (isOver) {
                // What failed until now is of this shortage, that of whoever waits included: nothing else is cancelled for it.
                pressure.relieved();
            }
            over++;
            resolved = isOver;
            awaited = false;
            acts = false;
            turn.notifyAll();
        }
    }

    /** {@code isFirst}: the decision's figures include how the shortage was made certain. */
    private Decision decide(Cause cause, Policy now, boolean isFirst) throws InterruptedException {
        Decision decision = new Decision(++decisions, cause, now.observes);
        long pauses = isFirst ? cause.pausesMs : pressure.pauseMs();
        decision.usedBefore = HeapUse.used();
        decision.candidates = candidates.find(now, spared);
        decision.stoppedMs = candidates.exact().stoppedMs;
        decision.unmeasured = candidates.exact().failure;
        choose(decision, now);
        decision.decidedNow(isFirst);
        if (decision.chosen != null && now.observes) {
            decision.action = Decision.WOULD_CANCEL;
        } else if (decision.chosen != null) {
            cancelled.add(System.nanoTime());
            canceller.cancel(decision, now);
            if (!decision.ended) {
                spared.add(decision.chosen.work);
            }
            decision.resolved = pressure.isOver(cause, now);
            decision.usedAfter = HeapUse.used();
        } else if (!now.observes) {
            // Whoever held the memory may have got the error itself.
            decision.resolved = pressure.isOver(cause, now);
        }
        decision.pauseMs = pressure.pauseMs() - pauses;
        keep(decision);
        return decision;
    }

    private void choose(Decision decision, Policy now) {
        while (!cancelled.isEmpty() && System.nanoTime() - cancelled.peek() > MINUTE_NS) {
            cancelled.remove();
        }
        for (Candidate candidate : decision.candidates) {
            if (candidate.refused == null) {
                if (cancelled.size() >= now.perMinute) {
                    decision.reason = now.perMinute + " were cancelled in the last minute, which is the most";
                } else {
                    decision.chosen = candidate;
                }
                return;
            }
        }
        decision.reason = decision.candidates.isEmpty() ? "there is no work that could be cancelled"
                : decision.candidates.get(0).name + ": " + decision.candidates.get(0).refused;
    }

    private void keep(Decision decision) {
        StringBuilder line = new StringBuilder();
        decision.write(new Json(line), recorder.uptimeMs(), admission);
        synchronized (unwritten) {
            unwritten.append(line);
        }
        synchronized (kept) {
            kept.add(line.toString().trim());
            if (kept.size() > KEPT) {
                kept.remove();
            }
        }
        Notices.tell(decision.text());
        write();
    }

    /** The recording may be busy: a measurement takes seconds. */
    private void write() {
        synchronized (unwritten) {
            if (unwritten.length() > 0 && recorder.record(unwritten)) {
                unwritten.setLength(0);
            }
        }
    }

    /** The lines that the recording has not taken, for its end. Waits a little for a decision that is under way. */
    StringBuilder takeUnwritten() throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_MS * 1_000_000;
        synchronized (turn) {
            for (long left = PATIENCE_MS; acts && left > 0; left = (deadline - System.nanoTime()) / 1_000_000) {
                turn.wait(left);
            }
        }
        synchronized (unwritten) {
            StringBuilder lines = new StringBuilder(unwritten);
            unwritten.setLength(0);
            return lines;
        }
    }

    String state() {
        Policy now = policy;
        StringBuilder text = new StringBuilder("{\"mode\":\"").append(now.observes ? "observe" : "act").append("\",\"short\":")
                .append(admission.isShort()).append(",\"delayed\":").append(admission.delayed()).append(",\"refused\":")
                .append(admission.refused()).append(",\"works\":").append(works.all().size()).append(",\"decisions\":[");
        synchronized (kept) {
            text.append(String.join(",", kept));
        }
        return text.append("]}").toString();
    }
}
