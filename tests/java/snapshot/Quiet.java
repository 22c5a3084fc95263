import java.io.IOException;
import java.nio.file.Path;

/** The point where a program is looked at from outside: it says that it is there, and waits until its input ends. */
public final class Quiet {
    private Quiet() {
    }

    /** Waits. The path is for other variants of this class. */
    public static void point(Path unused) throws IOException {
        System.out.println("quiet " + ProcessHandle.current().pid());
        while (System.in.read() >= 0) {
            // What is said is of no interest.
        }
    }
}
