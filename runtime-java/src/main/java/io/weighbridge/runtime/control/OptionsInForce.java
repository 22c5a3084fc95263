package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.probe.AllocationSites;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.probe.ThreadNames;
import io.weighbridge.runtime.record.Recording;

/**
 * The options that count now: those of the start, later also those baked into the first jar and those of an agent that
 * starts later.
 *
 * <p>Changed under the start lock; read by any thread.
 */
final class OptionsInForce {
    private final Recording recording;
    private volatile Options now;
    private boolean baked;

    OptionsInForce(Options first, Recording recording) {
        this.recording = recording;
        use(first);
    }

    Options get() {
        return now;
    }

    /** An agent has come later. */
    void addAgent(String argument) {
        use(now.withAgent(argument));
    }

    /** A jar was linked. The first one's options count; {@code startedBy}: the runtime started with them. */
    void addJar(LinkTable table, boolean startedBy) {
        if (startedBy) {
            baked = true;
        } else if (!baked) {
            baked = true;
            use(now.with(table.options));
        } else if (!now.values.baked.equals(table.options)) {
            Notices.note("the options baked into " + table.jar + " differ from those of the first jar, which count");
        }
    }

    private void use(Options resolved) {
        now = resolved;
        Budget.set(resolved.references);
        AllocationSites.keep(resolved.enabled ? resolved.sites : 0);
        ThreadNames.set(resolved.threads);
        recording.use(resolved.destfile, resolved.sessionId);
    }
}
