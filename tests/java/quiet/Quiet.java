import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.management.ObjectName;

/** One quiescent point measured twice: by the runtime, if it is there, and by the VM's own class histogram. */
public final class Quiet {
    private Quiet() {
    }

    /**
     * Asks the runtime for a snapshot, and the VM for a histogram before it and one after it. The program waits, but its
     * libraries may have threads and caches that let go of an object meanwhile. Writes `instances bytes class` lines: the
     * histogram before, an empty line, the histogram after.
     */
    public static void point(Path histograms) throws Exception {
        Method measure;
        try {
            measure = Class.forName("io.weighbridge.Weighbridge").getMethod("measure", String.class);
        } catch (ClassNotFoundException notWeighed) {
            return;
        }
        String before = histogram();
        measure.invoke(null, "quiet");
        Files.writeString(histograms, before + "\n" + histogram());
    }

    /** What `jcmd <pid> GC.class_histogram` runs: live objects only, after a full collection. */
    private static String histogram() throws Exception {
        String text = (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] {null}, new String[] {String[].class.getName()});
        StringBuilder lines = new StringBuilder();
        for (String line : List.of(text.split("\n"))) {
            String[] words = line.trim().split("\\s+");
            if (words.length >= 4 && words[0].endsWith(":")) {
                lines.append(words[1]).append(' ').append(words[2]).append(' ').append(words[3]).append('\n');
            }
        }
        return lines.toString();
    }
}
