package io.weighbridge.runtime.control;

import io.weighbridge.runtime.contract.RuntimeOption;
import io.weighbridge.runtime.contract.RuntimeOptions;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.probe.AllocationSites;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.probe.ThreadNames;
import io.weighbridge.runtime.record.Recording;
import java.util.Map;

/**
 * The options that count now: those of the start, later also those baked into the first jar and those of an agent that
 * starts later.
 *
 * <p>Changed under the start lock; read by any thread.
 */
final class OptionsInForce {
    private final Recording recording;
    /** Those of a run change nothing but its own measurements. */
    private final boolean ofSession;
    private volatile Options now;
    private boolean baked;

    OptionsInForce(Options first, Recording recording) {
        this(first, recording, true);
    }

    private OptionsInForce(Options first, Recording recording, boolean ofSession) {
        this.recording = recording;
        this.ofSession = ofSession;
        use(first);
    }

    /** For a run. */
    static OptionsInForce ofRun(Options first, Recording recording) {
        return new OptionsInForce(first, recording, false);
    }

    Options get() {
        return now;
    }

    /** An agent has come later. */
    synchronized void addAgent(String argument) {
        use(now.withAgent(argument));
    }

    /** A jar was linked. The first one's options count; {@code startedBy}: the runtime started with them. */
    synchronized void addJar(LinkTable table, boolean startedBy) {
        if (startedBy) {
            baked = true;
        } else if (!baked) {
            baked = true;
            use(now.with(table.options));
        } else if (!now.values.baked.equals(table.options)) {
            Notices.note("the options baked into " + table.jar + " differ from those of the first jar, which count");
        }
    }

    /** Changes options; a sentence if that is refused, and nothing is changed then. */
    synchronized String change(Map<String, String> changes) {
        for (String key : changes.keySet()) {
            if (RuntimeOption.find(RuntimeOptions.CHANGEABLE, key) == null) {
                return key + " cannot be changed; what can: " + RuntimeOption.names(RuntimeOptions.CHANGEABLE);
            }
        }
        Options changed = now.changed(changes);
        if (!changed.refused().isEmpty()) {
            return changed.refused().get(0);
        }
        use(changed);
        return null;
    }

    private void use(Options resolved) {
        now = resolved;
        if (ofSession) {
            Budget.set(resolved.references);
            PauseBudget.grant(resolved.pauseMs);
            AllocationSites.keep(resolved.enabled ? resolved.sites : 0);
            ThreadNames.set(resolved.threads);
        }
        recording.use(resolved.file(), resolved.sessionId);
    }
}
