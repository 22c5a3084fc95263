package io.weighbridge.verify;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Loads and links every class of some archives, and runs none of them: no class is initialised.
 *
 * <p>The one argument is a file of lines, fields separated by tabs: {@code unit LABEL PATH} for each archive or folder
 * whose classes are wanted, {@code path PATH} for each that they may need. All are one class path, in this order.
 * What a class path hides (a second copy, a Multi-Release version) is linked by a loader of its own above it.
 *
 * <p>Output: {@code OUTCOME LOCATION REASON} per class file, sorted by location, and a last line {@code done}.
 */
public final class LinkClasses {
    private LinkClasses() {
    }

    public static void main(String[] args) throws IOException {
        List<ArchiveRoot> roots = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(args[0]), StandardCharsets.UTF_8)) {
            String[] fields = line.split("\t", -1);
            boolean wanted = fields[0].equals("unit");
            roots.addAll(ArchiveRoot.of(Container.open(Path.of(fields[fields.length - 1])), wanted ? fields[1] : null));
        }
        Map<String, String> outcomes = Collections.synchronizedMap(new TreeMap<>());
        RootLoader path = new RootLoader(ClassLoader.getPlatformClassLoader(), plain(roots), false);
        path.loadFirstOfEachPackage();
        for (ArchiveRoot root : roots) {
            if (root.label != null) {
                RootLoader hidden = new RootLoader(path, seenFrom(root, roots), true);
                root.classes.entrySet().parallelStream().forEach(entry -> {
                    boolean visible = root.version == 0 && path.home(entry.getKey()) == root;
                    String outcome = root.version > Runtime.version().feature()
                            ? "newer\tis for Java " + root.version + " and newer"
                            : link(entry.getKey(), visible ? path : hidden);
                    outcomes.put(root.location(entry.getValue()), outcome);
                });
            }
        }
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8.name());
        outcomes.forEach((location, outcome) -> {
            int reason = outcome.indexOf('\t');
            String kind = reason < 0 ? outcome : outcome.substring(0, reason);
            out.print(kind + '\t' + location + '\t' + outcome.substring(Math.min(outcome.length(), kind.length() + 1)) + '\n');
        });
        out.print("done\n");
        out.flush();
    }

    private static List<ArchiveRoot> plain(List<ArchiveRoot> roots) {
        List<ArchiveRoot> plain = new ArrayList<>(roots);
        plain.removeIf(root -> root.version != 0);
        return plain;
    }

    /** The class path of a root's own classes: a version sees the older ones and the plain classes of its archive. */
    private static List<ArchiveRoot> seenFrom(ArchiveRoot root, List<ArchiveRoot> all) {
        Map<Integer, ArchiveRoot> own = new TreeMap<>(Collections.reverseOrder());
        for (ArchiveRoot other : all) {
            if (other.container == root.container && other.folder.equals(root.folder) && other.version <= root.version) {
                own.put(other.version, other);
            }
        }
        return new ArrayList<>(own.values());
    }

    /**
     * Each of the three calls links the class before it looks at members (HotSpot's {@code JVM_GetClassDeclared*}), and
     * linking verifies it (JVMS 5.4.1). What a call throws after that concerns the types of members. So the first call that
     * succeeds proves that the class is linked, and each of them throws an error of the verifier first.
     */
    private static String link(String className, ClassLoader loader) {
        try {
            Class<?> loaded = Class.forName(className, false, loader);
            if (loaded.getClassLoader() != loader) {
                return "hidden\tthe JDK has a class of this name, which the JVM takes instead";
            }
            try {
                loaded.getDeclaredConstructors();
            } catch (NoClassDefFoundError | TypeNotPresentException first) {
                try {
                    loaded.getDeclaredFields();
                } catch (NoClassDefFoundError | TypeNotPresentException second) {
                    loaded.getDeclaredMethods();
                }
            }
            return "linked";
        } catch (NoClassDefFoundError failure) {
            boolean wrongEntry = String.valueOf(failure.getMessage()).contains("(wrong name:");
            return (wrongEntry ? "misplaced\t" : "missing\t") + said(failure);
        } catch (ClassNotFoundException | TypeNotPresentException failure) {
            return "missing\t" + said(failure);
        } catch (UnsupportedClassVersionError failure) {
            return "newer\t" + said(failure);
        } catch (Throwable failure) {
            boolean reserved = failure instanceof SecurityException && className.startsWith("java.");
            return (reserved ? "hidden\t" : "refused\t") + said(failure);
        }
    }

    private static String said(Throwable failure) {
        String message = String.valueOf(failure.getMessage()).replaceAll("\\s+", " ");
        return failure.getClass().getSimpleName() + ": " + message.substring(0, Math.min(message.length(), 400));
    }

    /** Where class paths start in an archive, and which classes are there. */
    static final class ArchiveRoot {
        private static final String[] FOLDERS = {"BOOT-INF/classes/", "WEB-INF/classes/"};
        private static final String VERSIONS = "META-INF/versions/";

        final Container container;
        final String label;
        final String folder;
        /** 0 for plain classes, else the version whose classes these are (JEP 238). */
        final int version;
        /** Paths by binary name. */
        final Map<String, String> classes = new LinkedHashMap<>();

        private ArchiveRoot(Container container, String label, String folder, int version) {
            this.container = container;
            this.label = label;
            this.folder = folder;
            this.version = version;
        }

        static List<ArchiveRoot> of(Container container, String label) {
            Map<String, ArchiveRoot> roots = new LinkedHashMap<>();
            for (String path : container.names()) {
                if (!path.endsWith(".class") || path.endsWith("module-info.class")) {
                    continue;
                }
                String folder = "";
                for (String known : FOLDERS) {
                    folder = path.startsWith(known) ? known : folder;
                }
                String file = path.substring(folder.length());
                int version = version(file);
                if (version > 0) {
                    file = file.substring(file.indexOf('/', VERSIONS.length()) + 1);
                }
                if (!file.startsWith("META-INF/")) {
                    String home = folder;
                    ArchiveRoot root = roots.computeIfAbsent(folder + version, key -> new ArchiveRoot(container, label, home, version));
                    root.classes.put(file.substring(0, file.length() - ".class".length()).replace('/', '.'), path);
                }
            }
            return new ArrayList<>(roots.values());
        }

        private static int version(String file) {
            int end = file.startsWith(VERSIONS) ? file.indexOf('/', VERSIONS.length()) : -1;
            try {
                return end < 0 ? 0 : Integer.parseInt(file.substring(VERSIONS.length(), end));
            } catch (NumberFormatException noVersion) {
                return 0;
            }
        }

        String location(String path) {
            return label.isEmpty() ? path : label + "!/" + path;
        }
    }

    /** A class path without locations: the first root that has a class gives it, and the JVM compares its signers. */
    static final class RootLoader extends ClassLoader {
        static {
            registerAsParallelCapable();
        }

        private final Map<String, ArchiveRoot> homes = new LinkedHashMap<>();
        private final boolean ownFirst;

        RootLoader(ClassLoader parent, List<ArchiveRoot> roots, boolean ownFirst) {
            super(parent);
            this.ownFirst = ownFirst;
            for (ArchiveRoot root : roots) {
                root.classes.keySet().forEach(name -> homes.putIfAbsent(name, root));
            }
        }

        /**
         * Loads the first class of each package. The JVM compares the signers of later classes of a package with those of
         * the first, and which thread loads first must not matter.
         */
        void loadFirstOfEachPackage() {
            Set<String> packages = new HashSet<>();
            for (String name : homes.keySet()) {
                if (packages.add(name.substring(0, Math.max(0, name.lastIndexOf('.'))))) {
                    try {
                        Class.forName(name, false, this);
                    } catch (ClassNotFoundException | LinkageError | SecurityException said) {
                        // It is loaded again later, and the failure is reported then.
                    }
                }
            }
        }

        ArchiveRoot home(String className) {
            return homes.get(className);
        }

        @Override
        protected Class<?> loadClass(String className, boolean resolve) throws ClassNotFoundException {
            if (!ownFirst || !homes.containsKey(className)) {
                return super.loadClass(className, resolve);
            }
            synchronized (getClassLoadingLock(className)) {
                Class<?> loaded = findLoadedClass(className);
                return loaded == null ? findClass(className) : loaded;
            }
        }

        @Override
        protected Class<?> findClass(String className) throws ClassNotFoundException {
            ArchiveRoot root = homes.get(className);
            if (root == null) {
                throw new ClassNotFoundException(className);
            }
            try {
                Container.Content content = root.container.read(root.classes.get(className));
                // No location: nothing is looked up there, and a URL would name a temporary file.
                ProtectionDomain domain = new ProtectionDomain(new CodeSource(null, content.signers), null);
                return defineClass(className, content.bytes, 0, content.bytes.length, domain);
            } catch (IOException e) {
                throw new ClassFormatError(className + " cannot be read: " + e.getMessage());
            }
        }
    }
}
