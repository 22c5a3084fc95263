package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.record.Cost;
import io.weighbridge.runtime.registry.Registry;

/** What runs in this JVM once the runtime has started: its options, measurements and end. */
final class Session {
    final Registry registry = new Registry();
    final OptionsInForce options;
    final Measurements measurements;
    final PeakLooks peaks;
    final Ending ending;

    /** {@code statics}: for the weight of the runtime itself. */
    Session(Options options, Statics statics) {
        this.options = new OptionsInForce(options);
        measurements = new Measurements(registry, this.options, statics);
        peaks = new PeakLooks(measurements);
        ending = new Ending(measurements);
    }

    Options options() {
        return options.get();
    }

    boolean isDisabled() {
        return ending.isDisabled();
    }

    /** Where the recording is or will be written; null if there is none. */
    String recording() {
        return options.get().writeFile ? measurements.recording.path().toString() : null;
    }

    /** What the runtime has cost so far. */
    Cost cost() {
        return measurements.cost;
    }

    /** Forgets all counts and references. */
    void reset() {
        registry.reset();
        Notices.note("counts and references were reset");
    }
}
