import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.Attribute;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.util.Textifier;
import org.objectweb.asm.util.TraceClassVisitor;

/**
 * Compares ASM's text of original classes with that of rewritten ones without the injected instructions.
 *
 * <p>The argument is a file of lines {@code ORIGINAL-JAR KIND REWRITTEN-JAR}, separated by tabs. Output, also separated by
 * tabs: {@code text KIND COMPARED CHANGED SEQUENCES WIDENED} for each kind, {@code differs KIND CLASS WHY} for each
 * difference, {@code unread CLASS WHY} for originals that ASM refuses.
 */
public final class Compare {
    private static final class Counts {
        final LongAdder compared = new LongAdder();
        final LongAdder changed = new LongAdder();
        final LongAdder sequences = new LongAdder();
        final LongAdder widened = new LongAdder();
        final Map<String, String> differences = new ConcurrentHashMap<>();
    }

    private final Map<String, Counts> counts = new TreeMap<>();
    private final Map<String, String> unread = new ConcurrentHashMap<>();

    public static void main(String[] args) throws IOException {
        Map<String, Map<String, String>> jars = new LinkedHashMap<>();
        Compare compare = new Compare();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] fields = line.split("\t");
            jars.computeIfAbsent(fields[0], original -> new TreeMap<>()).put(fields[1], fields[2]);
            compare.counts.putIfAbsent(fields[1], new Counts());
        }
        for (Map.Entry<String, Map<String, String>> jar : jars.entrySet()) {
            compare.jar(jar.getKey(), jar.getValue());
        }
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        compare.counts.forEach((kind, count) -> {
            out.println(String.join("\t", "text", kind, count.compared.toString(), count.changed.toString(),
                    count.sequences.toString(), count.widened.toString()));
            new TreeMap<>(count.differences).forEach((name, why) -> out.println("differs\t" + kind + '\t' + name + '\t' + why));
        });
        new TreeMap<>(compare.unread).forEach((name, why) -> out.println("unread\t" + name + '\t' + why));
        out.flush();
    }

    private void jar(String original, Map<String, String> rewritten) throws IOException {
        Map<String, ZipFile> zips = new TreeMap<>();
        try (ZipFile before = new ZipFile(original)) {
            for (Map.Entry<String, String> jar : rewritten.entrySet()) {
                zips.put(jar.getKey(), new ZipFile(jar.getValue()));
            }
            List<ZipEntry> entries = before.stream().collect(Collectors.toList());
            entries.parallelStream().forEach(entry -> entry(before, entry, zips));
        } finally {
            for (ZipFile zip : zips.values()) {
                zip.close();
            }
        }
    }

    private void entry(ZipFile before, ZipEntry entry, Map<String, ZipFile> rewritten) {
        String name = entry.getName();
        byte[] original = read(before, name);
        ClassNode expected = null;
        String text = null;
        for (Map.Entry<String, ZipFile> jar : rewritten.entrySet()) {
            Counts count = counts.get(jar.getKey());
            count.compared.increment();
            byte[] bytes = read(jar.getValue(), name);
            if (Arrays.equals(original, bytes)) {
                continue;
            }
            count.changed.increment();
            try {
                if (expected == null) {
                    expected = parse(original, 0);
                    expected.methods.forEach(Canonical::labels);
                    text = text(expected);
                }
            } catch (RuntimeException refused) {
                unread.put(name, oneLine(refused.toString()));
                return;
            }
            try {
                String difference = compare(original, expected, text, bytes, Injected.of(jar.getKey()), count);
                if (difference != null) {
                    count.differences.put(name, oneLine(difference));
                }
            } catch (RuntimeException failed) {
                count.differences.put(name, oneLine(failed + " at " + failed.getStackTrace()[0]));
            }
        }
    }

    private static String compare(byte[] original, ClassNode expected, String text, byte[] bytes, Injected kind, Counts count) {
        ClassNode found = parse(bytes, 0);
        if (found.methods.size() != expected.methods.size()) {
            return "another number of methods";
        }
        boolean widened = false;
        for (int i = 0; i < found.methods.size(); i++) {
            MethodNode was = expected.methods.get(i);
            MethodNode is = found.methods.get(i);
            Strip strip = new Strip(kind, expected, was, is);
            String problem = strip.run();
            count.sequences.add(strip.sequences);
            count.widened.add(strip.widened);
            widened |= strip.widened > 0;
            if (problem != null) {
                return was.name + was.desc + ": " + problem;
            }
        }
        found.methods.forEach(Canonical::labels);
        String stripped = text(found);
        if (stripped.equals(text)) {
            return null;
        }
        // Frames around a widened jump, and frames with an added local variable, have other forms: compare them expanded.
        return widened || kind == Injected.METHOD ? expanded(original, bytes, kind) : firstDifference(text, stripped);
    }

    private static String expanded(byte[] original, byte[] bytes, Injected kind) {
        ClassNode expected = parse(original, ClassReader.EXPAND_FRAMES);
        ClassNode found = parse(bytes, ClassReader.EXPAND_FRAMES);
        expected.methods.forEach(Canonical::labels);
        for (int i = 0; i < found.methods.size(); i++) {
            MethodNode was = expected.methods.get(i);
            Strip strip = new Strip(kind, expected, was, found.methods.get(i));
            strip.run();
            Canonical.labels(found.methods.get(i));
            strip.dropFramesOfWidening();
            if (kind == Injected.METHOD) {
                strip.dropAddedLocal();
            }
            Strip.trimFrames(found.methods.get(i));
            Strip.trimFrames(was);
        }
        String before = text(expected);
        String after = text(found);
        return before.equals(after) ? null : firstDifference(before, after);
    }

    private static ClassNode parse(byte[] bytes, int flags) {
        ClassNode node = new ClassNode();
        new ClassReader(bytes).accept(node, flags);
        Attribute[] others = RawAttribute.prototypes(node);
        if (others.length > 0) {
            node = new ClassNode();
            new ClassReader(bytes).accept(node, others, flags);
        }
        return node;
    }

    private static String text(ClassNode node) {
        StringWriter text = new StringWriter();
        node.accept(new TraceClassVisitor(null, new Textifier(), new PrintWriter(text)));
        return text.toString();
    }

    private static String firstDifference(String before, String after) {
        List<String> expected = new ArrayList<>(Arrays.asList(before.split("\n")));
        List<String> found = new ArrayList<>(Arrays.asList(after.split("\n")));
        expected.add("end");
        found.add("end");
        int line = 0;
        while (line < expected.size() - 1 && line < found.size() - 1 && expected.get(line).equals(found.get(line))) {
            line++;
        }
        int header = line;
        while (header > 0 && !(expected.get(header).startsWith("  ") && expected.get(header).contains("("))) {
            header--;
        }
        while (header > 0 && expected.get(header).startsWith("    ")) {
            header--;
        }
        return "line " + (line + 1) + " in " + expected.get(header).strip() + ": " + expected.get(line).strip() + " became "
                + found.get(line).strip();
    }

    private static byte[] read(ZipFile zip, String name) {
        try {
            return zip.getInputStream(zip.getEntry(name)).readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(name, e);
        }
    }

    private static String oneLine(String text) {
        String line = text.replaceAll("\\s+", " ");
        return line.substring(0, Math.min(line.length(), 600));
    }
}
