package io.weighbridge.runtime.shortage;

import io.weighbridge.Cancelled;
import io.weighbridge.NotAdmitted;
import java.util.List;
import java.util.Map;

/** What the program's threads meet of the control on memory shortage: scopes, probes of named methods, checkpoints, gates. */
public final class Shortage {
    /** A method may run again so often in one call. */
    private static final int MOST_RETRIES = 3;
    /** In a probe's id each list of patterns has so many bits. */
    private static final int BITS = 10;
    private static final int MASK = (1 << BITS) - 1;
    private final Needs needs = new Needs();
    final Works works = new Works(needs, this::checkpoint);
    final Admission admission = new Admission(needs);
    private final Watch watch;

    /** {@code recorder} takes lines of the recording. */
    public Shortage(Policy policy, Watch.Recorder recorder) {
        watch = new Watch(works, admission, policy, recorder);
    }

    /** Starts the watching thread. */
    public void start() {
        watch.start();
    }

    /** Ends it. Nothing is cancelled any more, and every gate is open. */
    public void end() {
        watch.end();
    }

    /** From now on this policy counts. */
    public void use(Policy policy) {
        watch.policy = policy;
    }

    /** Lines for the end of the recording, which it could not take before. */
    public StringBuilder takeUnwritten() throws InterruptedException {
        return watch.takeUnwritten();
    }

    /** The last decisions, as lines of JSON, and the state of now. */
    public String state() {
        return watch.state();
    }

    /** The current thread begins work with a tag; gives what {@link #leave} takes. */
    public long begin(String key, String value) {
        return works.begin(String.valueOf(key), String.valueOf(value), false).number;
    }

    /** Why the current thread's work is to end now, or null. */
    public String due() {
        return works.isPolled() ? works.due() : null;
    }

    /** Whether work of a tag may begin; waits if it must. */
    public boolean admit(String key, String value) {
        Policy policy = watch.policy;
        return policy.observes || admission.admit(key, value, policy.admitWaitMs);
    }

    /** A measurement has found these own bytes by tags. */
    public void measured(Map<List<String>, Long> ownBytes) {
        List<Work> open = works.all();
        for (Map.Entry<List<String>, Long> tag : ownBytes.entrySet()) {
            int count = 0;
            for (Work work : open) {
                if (tag.getKey().get(0).equals(work.key) && tag.getKey().get(1).equals(work.value)) {
                    count++;
                }
            }
            needs.measured(tag.getKey(), tag.getValue(), count);
        }
    }

    /** The JVM is about to throw an {@code OutOfMemoryError}. */
    public void exhausted() {
        watch.exhausted();
    }

    /** A named method is entered ({@code rewriter/probes/src/work}); gives the number of its work. Throws only if its gate refuses it. */
    public long enter(int id) {
        Policy policy = watch.policy;
        int permit = (id & MASK) - 1;
        int gate = (id >> BITS & MASK) - 1;
        int retry = (id >> 2 * BITS & MASK) - 1;
        if (gate >= 0 && gate < policy.gates.length && !isAdmitted(policy.gates[gate])) {
            throw new NotAdmitted(policy.gates[gate] + " is refused by weighbridge: memory is short");
        }
        try {
            String[] patterns = permit >= 0 ? policy.methods : gate >= 0 ? policy.gates : policy.retries;
            int index = permit >= 0 ? permit : gate >= 0 ? gate : retry;
            if (index < 0 || index >= patterns.length) {
                return 0;
            }
            Work work = works.begin(Work.METHOD, patterns[index], permit >= 0);
            if (permit >= 0 && gate >= 0 && gate < policy.gates.length) {
                work.gate = Work.METHOD + "=" + policy.gates[gate];
            }
            return work.number;
        } catch (Throwable full) {
            return 0;
        }
    }

    private boolean isAdmitted(String method) {
        try {
            return admit(Work.METHOD, method);
        } catch (Throwable full) {
            return true;
        }
    }

    /** A named method ends, or work with a tag. */
    public void leave(long number) {
        if (number == 0) {
            return;
        }
        try {
            works.end(number);
        } catch (Throwable full) {
            // What it has needed is not kept. At the end of the stack the JDK may make other errors of an overflow.
        }
    }

    /** At a checkpoint. */
    public void checkpoint() {
        String reason;
        try {
            reason = due();
        } catch (Throwable full) {
            return;
        }
        if (reason != null) {
            throw new Cancelled(reason);
        }
    }

    /** A named method has met an {@code OutOfMemoryError}: whether it is to run again. Waits for the decision. */
    public boolean again(long number) {
        try {
            Work work = works.numbered(number);
            if (work == null || work.isCancelled() || ++work.retries > MOST_RETRIES || watch.policy.observes) {
                return false;
            }
            return watch.resolve();
        } catch (Throwable full) {
            return false;
        }
    }
}
