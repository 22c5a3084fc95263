package io.weighbridge.runtime.record;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.NativeAgent;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.registry.Registry;

/** What the runtime itself costs, for the footer. Guarded by the measuring lock. */
public final class Cost {
    private final Registry registry;
    /** Snapshots written. */
    public int snapshots;
    /** Collections asked for. */
    public int forcedCollections;
    /** How long the collectors say that the forced collections took. */
    public long forcedPauseMs;
    /** CPU time of the runtime's own thread so far; -1 if it is not known. */
    public volatile long threadCpuNs = -1;
    /** That thread; null until it runs. */
    public volatile Thread thread;
    /** How long the runtime took to start, on the thread that loads it. */
    public volatile long startNs;
    private long wallNs;
    private long cpuNs;
    private long elsewhereNs;

    /** No cost yet. The registry knows what its sweeps cost. */
    public Cost(Registry registry) {
        this.registry = registry;
    }

    /**
     * A measurement of this thread: {@code cpu} is -1 where the JVM does not tell; {@code stopped} for a heap dump, and
     * {@code read} by another process.
     */
    public void measured(long wall, long cpu, long stopped, long read) {
        long own = cpu < 0 ? wall : cpu;
        wallNs += wall;
        cpuNs += own + stopped + read;
        elsewhereNs += (Thread.currentThread() == thread ? 0 : own) + read;
    }

    /** Writes the object {@code cost} and ends the line. */
    public void write(Json json, long recordingBytes) {
        long constructions = 0;
        for (long n : registry.allocated()) {
            constructions += n;
        }
        long registrations = Budget.numbers();
        long probes = ProbeCost.estimateNs(registry, constructions, registrations);
        long[] agent = NativeAgent.isPresent() ? NativeMethods.spent() : null;
        json.open("cost").field("start_ms", (agent == null ? startNs : agent[0]) / 1_000_000)
                .field("classes_ms", agent != null, agent == null ? 0 : agent[1] / 1_000_000)
                .field("elsewhere_cpu_ms", elsewhereNs / 1_000_000)
                .field("probe_cpu_ms", probes >= 0, probes / 1_000_000)
                .field("registrations", registrations)
                .field("thread_cpu_ms", threadCpuNs >= 0, threadCpuNs / 1_000_000)
                .field("forced_pause_ms", Management.collectors() != null, forcedPauseMs)
                .field("measuring_cpu_ms", cpuNs / 1_000_000).field("measuring_wall_ms", wallNs / 1_000_000)
                .field("snapshots", snapshots).field("sweeps", registry.sweeps()).field("sweep_ms", registry.sweepMs())
                .field("registry_bytes", registry.bytes()).field("forced_collections", forcedCollections)
                .field("recording_bytes", recordingBytes > 0, recordingBytes).close().endLine();
    }
}
