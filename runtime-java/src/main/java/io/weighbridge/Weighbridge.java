package io.weighbridge;

import io.weighbridge.runtime.Measuring;

/**
 * The runtime's API for programs.
 *
 * <p>A program that may run without the runtime looks the class up by name, as the rewritten code does.
 */
public final class Weighbridge {
    private Weighbridge() {
    }

    /**
     * Measures now, on the calling thread, and returns when the snapshot is in the recording.
     *
     * <p>Costs a full collection (unless {@code gc=never}) and some 100 ns for each object that is reached. Counts are
     * exact for everything that happened before the call (JLS 17.4.5). Never throws.
     *
     * @param label stands in the snapshot; may be null
     * @return true if the snapshot was written; false if the runtime is disabled, writes no file, cannot write it, is
     *         still busy with another measurement after 30 seconds, or the JVM is ending
     */
    public static boolean measure(String label) {
        return Measuring.request(label);
    }
}
