import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarFile;
import java.util.stream.Collectors;

/**
 * Loads and links so many classes of a jar of its class path. With {@code wait} it goes on until its input ends, and then says
 * for how long its main thread stood still: gaps of a millisecond and more, in all and the longest.
 */
public final class ManyClasses {
    private static final long GAP = 1_000_000;

    private ManyClasses() {
    }

    private static int load(String path, int wanted) throws IOException {
        int loaded = 0;
        try (JarFile jar = new JarFile(path)) {
            for (String entry : jar.stream().map(entry -> entry.getName()).collect(Collectors.toList())) {
                if (loaded == wanted) {
                    break;
                }
                if (!entry.endsWith(".class") || entry.startsWith("META-INF/") || entry.endsWith("-info.class")) {
                    continue;
                }
                String name = entry.substring(0, entry.length() - ".class".length()).replace('/', '.');
                try {
                    // Asking for constructors links a class.
                    Class.forName(name, false, ManyClasses.class.getClassLoader()).getDeclaredConstructors();
                    loaded++;
                } catch (ClassNotFoundException | LinkageError incomplete) {
                    // It needs a class that is not on the class path.
                    continue;
                }
            }
        }
        return loaded;
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = System.out;
        out.println("loaded " + load(arguments[0], Integer.parseInt(arguments[1])));
        if (arguments.length < 3) {
            return;
        }
        long longest = 0;
        long sum = 0;
        long last = System.nanoTime();
        while (System.in.available() == 0) {
            LockSupport.parkNanos(100_000);
            long now = System.nanoTime();
            if (now - last > GAP) {
                longest = Math.max(longest, now - last);
                sum += now - last;
            }
            last = now;
        }
        out.println("gaps " + sum / 1e6 + " " + longest / 1e6);
    }
}
