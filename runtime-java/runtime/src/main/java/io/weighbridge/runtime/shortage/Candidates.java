package io.weighbridge.runtime.shortage;

import io.weighbridge.runtime.jvm.Management;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds who could be cancelled, in the order of the policy. For the watching thread only. */
final class Candidates {
    /** Threads are looked at so often: what they allocate counts from one of the last two looks. */
    private static final long LOOK_NS = 10_000_000_000L;
    private final Works works;
    private final ExactBytes exact = new ExactBytes();
    private Map<Long, Long> before = new HashMap<>();
    private Map<Long, Long> latest = new HashMap<>();
    private long nextLook = System.nanoTime();

    Candidates(Works works) {
        this.works = works;
    }

    /** Keeps what threads have allocated so far, if the policy names threads. */
    void look(Policy policy) {
        if (policy.threads.length == 0 || System.nanoTime() - nextLook < 0) {
            return;
        }
        nextLook = System.nanoTime() + LOOK_NS;
        before = latest;
        latest = new HashMap<>();
        for (Thread thread : threads()) {
            long bytes = Management.allocatedBy(thread);
            if (bytes >= 0) {
                latest.put(id(thread), bytes);
            }
        }
    }

    /** All of them, measured as the policy says, the first first; each with the reason why it may not be cancelled. */
    List<Candidate> find(Policy policy, List<Work> spared) {
        List<Candidate> found = all(policy);
        boolean any = false;
        for (Candidate candidate : found) {
            any |= barred(candidate.work, policy, spared) == null;
        }
        // A dump would stop the program for nothing.
        exact.measure(policy, any ? found : List.of());
        return ranked(found, policy, spared);
    }

    /** The same without an exact measure, which is too dear to do often. */
    List<Candidate> found(Policy policy, List<Work> spared) {
        return ranked(all(policy), policy, spared);
    }

    private List<Candidate> all(Policy policy) {
        List<Candidate> found = new ArrayList<>();
        for (Work work : works.all()) {
            found.add(new Candidate(work));
        }
        if (policy.threads.length > 0) {
            for (Thread thread : threads()) {
                if (policy.permitsThread(thread.getName())) {
                    long since = before.getOrDefault(id(thread), latest.getOrDefault(id(thread), 0L));
                    found.add(new Candidate(Works.ofThread(thread, Management.allocatedBy(thread) < 0 ? -1 : since)));
                }
            }
        }
        return found;
    }

    private static List<Candidate> ranked(List<Candidate> found, Policy policy, List<Work> spared) {
        found.sort((one, other) -> one.compare(other, policy.by));
        for (Candidate candidate : found) {
            candidate.refused = refusal(candidate, policy, spared);
        }
        return found;
    }

    /** What the last exact measure stopped the program for, or why there was none. */
    ExactBytes exact() {
        return exact;
    }

    /** Why it may not be cancelled whatever it holds, or null. */
    private static String barred(Work work, Policy policy, List<Work> spared) {
        if (!work.isPermitted && (work.isThread() || !policy.permitsScope(work.key, work.value))) {
            return "not permitted";
        }
        for (Work before : spared) {
            if (before == work || work.isThread() && before.isThread() && before.thread == work.thread) {
                return "it was cancelled and did not end";
            }
        }
        return null;
    }

    private static String refusal(Candidate candidate, Policy policy, List<Work> spared) {
        String barred = barred(candidate.work, policy, spared);
        if (barred != null) {
            return barred;
        }
        long bytes = candidate.bytes(policy.by);
        if (bytes < 0 && policy.by == Policy.By.HELD) {
            return "what it holds was not measured";
        }
        if (bytes < policy.leastBytes() && policy.least > 0) {
            return bytes < 0 ? "its bytes are not known" : "less than " + policy.leastBytes() + " bytes";
        }
        if (policy.variableFrame) {
            StackTraceElement[] stack = candidate.work.thread.getStackTrace();
            if (stack.length == 0 || policy.isFixed(stack[0].getClassName())) {
                return "it runs system code";
            }
        }
        return null;
    }

    @SuppressWarnings("deprecation") // Thread.threadId is of JDK 19.
    private static long id(Thread thread) {
        return thread.getId();
    }

    /** Platform threads, without those of the runtime. */
    private static List<Thread> threads() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] all = new Thread[root.activeCount() * 2 + 16];
        int count = root.enumerate(all, true);
        List<Thread> threads = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            if (!all[i].getName().startsWith("weighbridge")) {
                threads.add(all[i]);
            }
        }
        return threads;
    }
}
