import java.util.Arrays;

/** Runs programs, says that it is in the middle, waits for its input, and runs them again. */
public final class Middle {
    private Middle() {
    }

    /**
     * Arguments: {@code twice}, or {@code once} to run them only afterwards; the main classes, with commas between; their
     * arguments. The second time is left out if the input ends.
     */
    public static void main(String[] args) throws Exception {
        boolean twice = args[0].equals("twice");
        if (twice) {
            run(args);
            // What is dead would be met in the heap all the same.
            System.gc();
        }
        System.out.println("middle");
        if (System.in.read() >= 0 || !twice) {
            run(args);
        }
    }

    private static void run(String[] args) throws Exception {
        String[] rest = Arrays.copyOfRange(args, 2, args.length);
        for (String main : args[1].split(",")) {
            Class.forName(main).getMethod("main", String[].class).invoke(null, (Object) rest);
        }
    }
}
