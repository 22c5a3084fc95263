package io.weighbridge.runtime.control;

import io.weighbridge.WeighbridgeMXBean;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.record.LifeLines;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/** The runtime as a managed bean, {@code io.weighbridge:type=Runtime}; registered only with {@code jmx=true}. */
final class RuntimeBean implements WeighbridgeMXBean {
    private static final String NAME = "io.weighbridge:type=Runtime";
    private final Session session;

    private RuntimeBean(Session session) {
        this.session = session;
    }

    /** Registers the bean. This class cannot be linked in an image without {@code java.management}. */
    static void register(Session session) {
        try {
            ManagementFactory.getPlatformMBeanServer()
                    .registerMBean(new RuntimeBean(session), new ObjectName(NAME));
        } catch (JMException | RuntimeException e) {
            Notices.failure("the managed bean could not be registered", e);
        }
    }

    /** Takes it away. */
    static void unregister() {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(new ObjectName(NAME));
        } catch (JMException | RuntimeException | LinkageError absent) {
            // It is not there.
        }
    }

    @Override
    public String getVersion() {
        return LifeLines.version();
    }

    @Override
    public String getRecording() {
        return session.options.get().records ? session.recording.name() : null;
    }

    @Override
    public boolean isEnabled() {
        return Stripes.enabled();
    }

    @Override
    public void setEnabled(boolean enabled) {
        if (session.ending.disabled) {
            return;
        }
        Stripes.enable(enabled);
        session.registry.missed();
        Notices.note(enabled ? "counting was switched on again; objects constructed meanwhile are not known"
                : "counting was switched off");
    }

    @Override
    public void disable() {
        session.disable();
    }

    @Override
    public boolean dump(String label) {
        return session.measurements.measure("request", label);
    }

    @Override
    public String request(String line) {
        return Requests.ask(line);
    }

    @Override
    public void reset() {
        session.registry.reset();
        Notices.note("counts and references were reset");
    }
}
