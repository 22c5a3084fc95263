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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Links every class of some jars on one class path, once per variant, and compares the outcomes with those of the first
 * variant.
 *
 * <p>The argument is a file of lines {@code variant NAME}, {@code subject JAR} and {@code path JAR}, separated by
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
                    .collect(Collectors.groupingBy(Link::kind, TreeMap::new, Collectors.counting()))
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
            Map<String, ClassSource> sources = new HashMap<>();
            Loader shared = new Loader(sources, Map.of());
            List<Task> tasks = new ArrayList<>();
            for (Path jar : subjects) {
                ZipFile zip = new ZipFile(jar.toFile());
                open.add(zip);
                tasks.addAll(tasks(zip, sources, shared));
            }
            for (Path jar : path) {
                ZipFile zip = new ZipFile(jar.toFile());
                open.add(zip);
                classes(zip).getOrDefault(0, Map.of()).forEach(sources::putIfAbsent);
            }
            Map<String, String> outcomes = new ConcurrentHashMap<>();
            tasks.parallelStream().forEach(task -> outcomes.put(task.label, link(task.className, task.loader)));
            return outcomes;
        } finally {
            for (ZipFile zip : open) {
                zip.close();
            }
        }
    }

    /**
     * The classes of a jar to link. Classes that an earlier jar hides, and those of {@code META-INF/versions}, are linked by
     * separate loaders, in which they precede the rest of the class path.
     */
    private static List<Task> tasks(ZipFile zip, Map<String, ClassSource> sources, Loader shared) {
        List<Task> tasks = new ArrayList<>();
        String jar = Path.of(zip.getName()).getFileName().toString();
        Map<String, ClassSource> front = new HashMap<>();
        for (Map.Entry<Integer, Map<String, ClassSource>> version : classes(zip).entrySet()) {
            Map<String, ClassSource> own = new TreeMap<>(version.getValue());
            if (version.getKey() == 0) {
                version.getValue().forEach((className, source) -> {
                    if (sources.putIfAbsent(className, source) == null) {
                        tasks.add(new Task(className, className, shared));
                        own.remove(className);
                    }
                });
            }
            front.putAll(own);
            Loader loader = new Loader(sources, Map.copyOf(front));
            own.forEach((className, source) -> tasks.add(new Task(jar + "!/" + source.entry.getName(), className, loader)));
        }
        return tasks;
    }

    /** Class files by version, 0 for those outside {@code META-INF/versions}, and name. */
    private static TreeMap<Integer, Map<String, ClassSource>> classes(ZipFile zip) {
        TreeMap<Integer, Map<String, ClassSource>> versions = new TreeMap<>();
        zip.stream().filter(entry -> entry.getName().endsWith(".class")).forEach(entry -> {
            Matcher parts = CLASS_FILE.matcher(entry.getName());
            if (parts.matches() && !parts.group("name").startsWith("META-INF/") && !parts.group("name").endsWith("module-info")) {
                int version = parts.group("version") == null ? 0 : Integer.parseInt(parts.group("version"));
                String className = parts.group("name").replace('/', '.');
                versions.computeIfAbsent(version, number -> new TreeMap<>()).putIfAbsent(className, new ClassSource(zip, entry));
            }
        });
        return versions;
    }

    private static final Pattern CLASS_FILE = Pattern.compile(
            "(?:(?:BOOT|WEB)-INF/classes/)?(?:META-INF/versions/(?<version>\\d{1,5})/)?(?<name>.*)\\.class");

    private record ClassSource(ZipFile zip, ZipEntry entry) {
    }

    private record Task(String label, String className, Loader loader) {
    }

    /**
     * Each of the three calls links the class before it reads members (HotSpot's {@code JVM_GetClassDeclared*}), and linking
     * verifies it (JVMS 5.4.1). Later errors concern the types of members. So a call that succeeds proves that the class is
     * linked, and an error of the verifier comes from the first call.
     */
    private static String link(String className, ClassLoader loader) {
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

    /** Loads classes without locations or signers: from {@code front}, then from the first jar that has the class. */
    private static final class Loader extends ClassLoader {
        static {
            registerAsParallelCapable();
        }

        private final Map<String, ClassSource> sources;
        private final Map<String, ClassSource> front;

        Loader(Map<String, ClassSource> sources, Map<String, ClassSource> front) {
            super(ClassLoader.getPlatformClassLoader());
            this.sources = sources;
            this.front = front;
        }

        @Override
        protected Class<?> findClass(String className) throws ClassNotFoundException {
            ClassSource source = front.getOrDefault(className, sources.get(className));
            if (source == null) {
                throw new ClassNotFoundException(className);
            }
            try {
                byte[] bytes = source.zip.getInputStream(source.entry).readAllBytes();
                return defineClass(className, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(className, e);
            }
        }
    }
}
