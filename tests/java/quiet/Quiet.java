import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.management.ObjectName;

/** Two measurements at one quiescent point: the runtime's, if it is there, and the VM's own class histogram. */
public final class Quiet {
    private Quiet() {
    }

    /** Asks the runtime for a snapshot and writes the histogram as `instances bytes class` lines. */
    public static void point(Path histogram) throws Exception {
        try {
            Class.forName("io.weighbridge.Weighbridge").getMethod("measure", String.class).invoke(null, "quiet");
        } catch (ClassNotFoundException notWeighed) {
            return;
        }
        // What `jcmd <pid> GC.class_histogram` runs: live objects only, after a full collection.
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
        Files.writeString(histogram, lines);
    }
}
