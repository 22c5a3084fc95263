package io.weighbridge.runtime;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The live bytes of the whole heap, by the JVM's class histogram: a full collection, then every live object once
 * ({@code DiagnosticCommand.gcClassHistogram}, S1.3). Exact at the moment of its pause, unless the JVM could not collect:
 * Serial, Parallel, and G1 before JDK 22 (JEP 423) skip that while a thread is in a JNI critical region, and dead objects
 * count, too.
 */
final class LiveHistogram {
    private LiveHistogram() {
    }

    /** Bytes; fails where the JVM has no such command. */
    static long bytes() throws JMException {
        Object text = ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] {new String[0]}, new String[] {String[].class.getName()});
        return total((String) text);
    }

    /** The last line is {@code Total  instances  bytes}. */
    static long total(String histogram) throws JMException {
        int line = histogram.lastIndexOf("Total");
        String[] words = line < 0 ? new String[0] : histogram.substring(line).trim().split("\\s+");
        if (words.length < 3) {
            throw new JMException("a class histogram without a total");
        }
        return Long.parseLong(words[2]);
    }
}
