import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;

/** Points at which the program does nothing until it gets a byte: its heap can be looked at from outside. */
public final class Points {
    private static final FileInputStream IN = new FileInputStream(FileDescriptor.in);
    private static Object tick;

    private Points() {
    }

    /** Says which process it is. */
    static void begin() {
        System.out.println("pid " + ProcessHandle.current().pid());
    }

    static void point() throws IOException {
        System.out.println("point");
        mark();
        IN.read();
    }

    /** The moment: what the trace has up to here is what lives now. */
    private static void mark() {
        tick = null;
    }
}
