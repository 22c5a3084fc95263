import java.io.OutputStream;
import java.io.PrintStream;

/** Does the work of {@link Sql} again and again, and prints a line after each round, until it is killed. */
public final class Rounds {
    private Rounds() {
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        while (!out.checkError()) {
            Sql.main(new String[] {"1"});
            out.println("round");
        }
    }
}
