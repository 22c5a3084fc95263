import java.nio.file.Path;
import java.util.Arrays;

/** Runs another program, and looks at what it leaves behind when its main method has returned. */
public final class Afterwards {
    private Afterwards() {
    }

    /** Arguments: the main class, and its arguments. */
    public static void main(String[] args) throws Exception {
        String[] rest = Arrays.copyOfRange(args, 1, args.length);
        Class.forName(args[0]).getMethod("main", String[].class).invoke(null, (Object) rest);
        Quiet.point(Path.of(""));
    }
}
