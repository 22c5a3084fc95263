import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles ten files with the JDK's compiler, some at a time. */
public final class TenFiles {
    private TenFiles() {
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        List<Path> files;
        try (Stream<Path> all = Files.list(Path.of(args[1]))) {
            files = all.filter(file -> file.toString().endsWith(".java")).sorted().limit(10).collect(Collectors.toList());
        }
        Path into = Files.createTempDirectory("ten-files");
        Points.begin();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        for (int round = 0; round < rounds; round++) {
            StringWriter said = new StringWriter();
            List<String> options = List.of("-nowarn", "-proc:none", "-d", into.toString(), "-sourcepath", args[2]);
            try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
                List<Path> some = files.subList(0, Math.min(files.size(), 1 + round % files.size()));
                JavaCompiler.CompilationTask task =
                        compiler.getTask(said, manager, null, options, null, manager.getJavaFileObjectsFromPaths(some));
                if (!task.call()) {
                    throw new AssertionError(said);
                }
                Points.point();
            }
        }
        try (Stream<Path> all = Files.walk(into)) {
            all.sorted((a, b) -> b.compareTo(a)).forEach(path -> path.toFile().delete());
        }
    }
}
