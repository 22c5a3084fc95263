import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarFile;

/**
 * Loads and links every class of the first jar (the rest of the arguments is its class path), initialising none.
 *
 * <p>{@code Class.getDeclaredMethods} makes HotSpot link the class, and linking verifies it (JVMS 5.4.1).
 * Prints the names that linked, sorted; failures go to standard error with their reason.
 */
public final class LoadAll {
    private LoadAll() {
    }

    public static void main(String[] args) throws Exception {
        List<URL> path = new ArrayList<>();
        for (String jar : args) {
            path.add(Path.of(jar).toUri().toURL());
        }
        TreeSet<String> linked = new TreeSet<>();
        try (JarFile jar = new JarFile(new File(args[0]));
                URLClassLoader loader = new URLClassLoader(path.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
            jar.stream().map(entry -> entry.getName())
                    .filter(name -> name.endsWith(".class") && !name.startsWith("META-INF/") && !name.endsWith("module-info.class"))
                    .forEach(name -> {
                        String className = name.substring(0, name.length() - 6).replace('/', '.');
                        try {
                            Class.forName(className, false, loader).getDeclaredMethods();
                            linked.add(className);
                        } catch (Throwable failure) {
                            System.err.println(className + ": " + failure);
                        }
                    });
        }
        StringBuilder out = new StringBuilder();
        for (String name : linked) {
            out.append(name).append('\n');
        }
        System.out.print(out);
    }
}
