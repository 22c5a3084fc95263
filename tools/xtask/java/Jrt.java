import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writes every class of the running JDK's modules into one zip, as {@code module/package/Name.class}. */
public final class Jrt {
    private Jrt() {
    }

    public static void main(String[] args) throws IOException {
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        List<Path> classes;
        try (Stream<Path> files = Files.walk(modules)) {
            classes = files.filter(file -> file.toString().endsWith(".class")).sorted().collect(Collectors.toList());
        }
        try (OutputStream file = Files.newOutputStream(Path.of(args[0]));
                ZipOutputStream zip = new ZipOutputStream(new BufferedOutputStream(file))) {
            zip.setLevel(1);
            for (Path path : classes) {
                zip.putNextEntry(new ZipEntry(modules.relativize(path).toString()));
                zip.write(Files.readAllBytes(path));
                zip.closeEntry();
            }
        }
    }
}
