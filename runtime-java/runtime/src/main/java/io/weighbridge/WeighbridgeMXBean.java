package io.weighbridge;

/** The runtime over JMX, as {@code io.weighbridge:type=Runtime}, with the option {@code jmx=true}. */
public interface WeighbridgeMXBean {
    /** The runtime's version. */
    String getVersion();

    /** The recording's path, or null if nothing is written. */
    String getRecording();

    /** Whether constructions are counted. */
    boolean isEnabled();

    /**
     * Switches counting off or on. What is constructed while it is off stays unknown: figures of tracked classes are
     * estimates from then on.
     */
    void setEnabled(boolean enabled);

    /**
     * Ends the runtime for good: the recording is closed, its thread ends, all references and counts are dropped, and
     * the probes do nothing from now on.
     */
    void disable();

    /**
     * Measures now and appends a snapshot to the recording.
     *
     * @param label written into the snapshot; may be null
     * @return true if the snapshot was written
     */
    boolean dump(String label);

    /**
     * Asks the agent inside this JVM, as a client of its control channel does (docs/control.md).
     *
     * @param line a request: {@code {"v":1,"id":1,"do":"status"}}
     * @return the reply's line. An error if there is no agent, or it was told to take no requests
     */
    String request(String line);

    /** Starts all counts at zero and forgets all tracked objects. */
    void reset();
}
