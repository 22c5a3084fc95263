import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;

/** Compiles a class with the Kotlin compiler again and again, and prints a line after each round, until it is killed. */
public final class Rounds {
    private static final String SOURCE = "class Shop(val items: List<String>) {\n"
            + "    fun longest(least: Int) = items.filter { it.length >= least }.groupBy { it.first() }.mapValues { (_, all) ->\n"
            + "        all.maxByOrNull { it.length } ?: \"\" }.toSortedMap().entries.joinToString { \"${it.key}: ${it.value}\" }\n"
            + "}\n";

    private Rounds() {
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("rounds");
        Path source = folder.resolve("Shop.kt");
        Files.writeString(source, SOURCE);
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        do {
            ExitCode code = new K2JVMCompiler().exec(nowhere, "-no-stdlib", "-no-reflect", "-cp", arguments[0], "-d",
                    folder.toString(), source.toString());
            if (code != ExitCode.OK) {
                throw new IllegalStateException("the compiler ended with " + code);
            }
            System.out.println("round");
        } while (!System.out.checkError());
    }
}
