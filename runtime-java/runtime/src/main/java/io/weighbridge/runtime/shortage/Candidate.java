package io.weighbridge.runtime.shortage;

import io.weighbridge.runtime.record.Json;

/** A piece of work that could be cancelled, with its figures, and why it is not. */
final class Candidate {
    static final long UNKNOWN = -1;
    final Work work;
    final String name;
    final String threadName;
    final int priority;
    final long ageNs;
    /** Since it began; of a thread as a whole, in the last 10 to 20 seconds. */
    final long allocated;
    /** Bytes that its thread alone holds, so that its end frees them. */
    long held = UNKNOWN;
    /** Why it may not be cancelled; null if it may. */
    String refused;

    Candidate(Work work) {
        this.work = work;
        name = work.name();
        threadName = work.thread.getName();
        priority = work.thread.getPriority();
        ageNs = System.nanoTime() - work.startNs;
        allocated = work.allocated();
    }

    /** The bytes that the policy ranks by; if it ranks by others, the best that are known. Negative if they are not known. */
    long bytes(Policy.By by) {
        return by == Policy.By.HELD ? held : by == Policy.By.ALLOCATED ? allocated : predicted();
    }

    /** What its end is expected to free: exactly if that was measured, else no more than it has allocated. */
    long predicted() {
        return held >= 0 ? held : allocated;
    }

    /** Negative if this one comes first. */
    int compare(Candidate other, Policy.By by) {
        int first = by == Policy.By.OLDEST ? Long.compare(other.ageNs, ageNs)
                : by == Policy.By.PRIORITY ? Integer.compare(priority, other.priority) : 0;
        return first != 0 ? first : Long.compare(other.bytes(by), bytes(by));
    }

    void write(Json json) {
        json.open().field("what", work.isThread() ? "thread" : Work.METHOD.equals(work.key) ? "method" : "scope")
                .field("name", name).field("thread", threadName).field("age_ms", ageNs / 1_000_000)
                .field("priority", priority).field("allocated_bytes", allocated >= 0, allocated)
                .field("held_bytes", held >= 0, held).field("refused", refused).close();
    }
}
