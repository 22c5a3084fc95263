import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Links every class of some jars on one class path, once per variant, and compares the outcomes with the first variant's.
 *
 * <p>The one argument is a file of lines {@code variant NAME}, {@code subject JAR} and {@code path JAR}, separated by
 * tabs. Output: {@code linked NAME LINKED CLASSES} per variant, {@code lost NAME CLASS BEFORE AFTER} per difference,
 * {@code refused NAME OUTCOME CLASSES} per kind of error.
 */
public final class Link {
    private final String name;
    private final List<Path> subjects = new ArrayList<>();
    private final List<Path> path = new ArrayList<>();

    private Link(String name) {
        this.name = name;
    }

    public static void main(String[] args) throws IOException {
        List<Link> variants = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] fields = line.split("\t");
            switch (fields[0]) {
                case "variant" -> variants.add(new Link(fields[1]));
                case "subject" -> variants.get(variants.size() - 1).subjects.add(Path.of(fields[1]));
                case "path" -> variants.get(variants.size() - 1).path.add(Path.of(fields[1]));
                default -> throw new IllegalArgumentException(line);
            }
        }
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        Map<String, String> before = null;
        for (Link variant : variants) {
            Map<String, String> outcomes = variant.run();
            long linked = outcomes.values().stream().filter(LINKED::equals).count();
            out.println("linked\t" + variant.name + '\t' + linked + '\t' + outcomes.size());
            outcomes.values().stream().filter(outcome -> !outcome.equals(LINKED))
                    .map(outcome -> outcome.substring(0, (outcome + ':').indexOf(':')))
                    .collect(Collectors.groupingBy(outcome -> outcome, TreeMap::new, Collectors.counting()))
                    .forEach((outcome, classes) -> out.println("refused\t" + variant.name + '\t' + outcome + '\t' + classes));
            if (before == null) {
                before = outcomes;
            }
            TreeSet<String> all = new TreeSet<>(before.keySet());
            all.addAll(outcomes.keySet());
            for (String className : all) {
                String expected = before.getOrDefault(className, "absent");
                String found = outcomes.getOrDefault(className, "absent");
                if (expected.equals(LINKED) != found.equals(LINKED) || !kind(expected).equals(kind(found))) {
                    out.println("lost\t" + variant.name + '\t' + className + '\t' + expected + '\t' + found);
                }
            }
            System.gc();
        }
        out.flush();
    }

    private static final String LINKED = "linked";

    private static String kind(String outcome) {
        return outcome.substring(0, (outcome + ':').indexOf(':'));
    }

    private Map<String, String> run() throws IOException {
        List<ZipFile> open = new ArrayList<>();
        try {
            Loader loader = new Loader();
            TreeSet<String> wanted = new TreeSet<>();
            for (Path jar : subjects) {
                ZipFile zip = new ZipFile(jar.toFile());
                open.add(zip);
                wanted.addAll(loader.add(zip));
            }
            for (Path jar : path) {
                ZipFile zip = new ZipFile(jar.toFile());
                open.add(zip);
                loader.add(zip);
            }
            Map<String, String> outcomes = new ConcurrentHashMap<>();
            new ArrayList<>(wanted).parallelStream().forEach(className -> outcomes.put(className, link(className, loader)));
            return outcomes;
        } finally {
            for (ZipFile zip : open) {
                zip.close();
            }
        }
    }

    /**
     * Each of the three calls links the class before it looks at members (HotSpot's {@code JVM_GetClassDeclared*}), and
     * linking verifies it (JVMS 5.4.1). What they throw after that is about the types of members, so the first that
     * succeeds proves that the class is linked, and an error of the verifier comes first from each.
     */
    private static String link(String className, Loader loader) {
        try {
            Class<?> loaded = Class.forName(className, false, loader);
            try {
                loaded.getDeclaredConstructors();
            } catch (NoClassDefFoundError | TypeNotPresentException first) {
                try {
                    loaded.getDeclaredFields();
                } catch (NoClassDefFoundError | TypeNotPresentException second) {
                    loaded.getDeclaredMethods();
                }
            }
            return LINKED;
        } catch (Throwable failure) {
            String message = String.valueOf(failure.getMessage()).replaceAll("\\s+", " ");
            return failure.getClass().getSimpleName() + ": " + message.substring(0, Math.min(message.length(), 400));
        }
    }

    /** The class path without locations or signers: the first jar that has a class gives it. */
    private static final class Loader extends ClassLoader {
        static {
            registerAsParallelCapable();
        }

        private record Place(ZipFile zip, ZipEntry entry) {
        }

        private final Map<String, Place> places = new HashMap<>();

        Loader() {
            super(ClassLoader.getPlatformClassLoader());
        }

        List<String> add(ZipFile zip) {
            List<String> names = new ArrayList<>();
            zip.stream().filter(entry -> entry.getName().endsWith(".class")).forEach(entry -> {
                String file = entry.getName();
                for (String root : new String[] {"BOOT-INF/classes/", "WEB-INF/classes/"}) {
                    file = file.startsWith(root) ? file.substring(root.length()) : file;
                }
                if (!file.startsWith("META-INF/") && !file.endsWith("module-info.class")) {
                    String className = file.substring(0, file.length() - 6).replace('/', '.');
                    names.add(className);
                    places.putIfAbsent(className, new Place(zip, entry));
                }
            });
            return names;
        }

        @Override
        protected Class<?> findClass(String className) throws ClassNotFoundException {
            Place place = places.get(className);
            if (place == null) {
                throw new ClassNotFoundException(className);
            }
            try {
                byte[] bytes = place.zip.getInputStream(place.entry).readAllBytes();
                return defineClass(className, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(className, e);
            }
        }
    }
}
