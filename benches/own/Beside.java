import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.netbeans.lib.profiler.heap.Field;
import org.netbeans.lib.profiler.heap.FieldValue;
import org.netbeans.lib.profiler.heap.GCRoot;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;
import org.netbeans.lib.profiler.heap.JavaClass;
import org.netbeans.lib.profiler.heap.JavaFrameGCRoot;
import org.netbeans.lib.profiler.heap.ObjectArrayInstance;
import org.netbeans.lib.profiler.heap.ObjectFieldValue;
import org.netbeans.lib.profiler.heap.PrimitiveArrayInstance;
import org.netbeans.lib.profiler.heap.ThreadObjectGCRoot;

/**
 * Own bytes by the simplest algorithm, of a heap dump that the library of NetBeans and VisualVM reads. Arguments: the dump, and
 * a file of lines: "tracked CLASS", "component NAME REGEX" (the first that matches), "hub CLASS" (with those below), "bytes CLASS
 * N" (of an instance, as the JVM's histogram says), "threads REGEX". Prints "component NAME OBJECTS OWN", "class NAME OBJECTS OWN"
 * of those tracked, and "thread ALONE NAME": what would go with the thread.
 */
@SuppressWarnings("unchecked") // The library has raw lists.
public final class Beside {
    /** Classes whose fields lead to the whole JVM, when the JDK declares them. */
    private static final Set<String> MACHINERY = Set.of("java.lang.ref.Reference", "java.lang.Module");
    private static final Set<String> MACHINERY_ABOVE =
            Set.of("java.lang.ref.PhantomReference", "java.lang.Thread", "java.lang.ClassLoader");

    /** Bytes of fields; 4 for references. */
    private static final Map<String, Integer> SIZES = Map.of("boolean", 1, "byte", 1, "short", 2, "char", 2, "long", 8, "double", 8);

    private final List<String> names = new ArrayList<>();
    private final List<Pattern> patterns = new ArrayList<>();
    private final Map<String, Integer> components = new HashMap<>();
    private final Set<String> tracked = new HashSet<>();
    private final Set<String> hubs = new HashSet<>();
    private final Map<String, Integer> bytes = new HashMap<>();

    /** What a class says of its objects. */
    private static final class Kind {
        String name;
        int component = -1;
        boolean tracked;
        boolean hub;
        boolean skipped;
        boolean soft;
        long bytes;
        final Set<String> unfollowed = new HashSet<>();
    }

    private final Map<JavaClass, Kind> kinds = new HashMap<>();
    private long[] ids;
    private Kind[] kindOf;
    private long[] size;
    private int[][] references;
    /** The fields that own bytes do not follow. */
    private int[][] further;
    /** What static fields hold, of all classes: none is unloaded. */
    private final List<Integer> statics = new ArrayList<>();
    private Pattern threads;

    public static void main(String[] args) throws Exception {
        Beside beside = new Beside();
        for (String line : Files.readAllLines(Path.of(args[1]))) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "tracked":
                    beside.tracked.add(words[1]);
                    break;
                case "component":
                    beside.names.add(words[1]);
                    beside.patterns.add(Pattern.compile(words[2]));
                    beside.components.putIfAbsent(words[1], beside.components.size());
                    break;
                case "threads":
                    beside.threads = Pattern.compile(words[1]);
                    break;
                case "hub":
                    beside.hubs.add(words[1]);
                    break;
                default:
                    beside.bytes.put(words[1], Integer.parseInt(words[2]));
            }
        }
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        beside.read(heap);
        beside.readStatics(heap);
        beside.own("component");
        beside.own("class");
        beside.alone(heap);
    }

    private Kind kind(JavaClass type) {
        return kinds.computeIfAbsent(type, this::compute);
    }

    private Kind compute(JavaClass type) {
        Kind kind = new Kind();
        kind.name = type.getName();
        kind.skipped = kind.name.equals("java.lang.Class");
        kind.tracked = tracked.contains(kind.name);
        String element = kind.name.replace("[]", "");
        for (int i = 0; i < names.size() && kind.component < 0; i++) {
            if (patterns.get(i).matcher(element).matches()) {
                kind.component = components.get(names.get(i));
            }
        }
        boolean machinery = false;
        int fields = 12;
        List<JavaClass> ancestry = new ArrayList<>();
        for (JavaClass c = type; c != null; c = c.getSuperClass()) {
            ancestry.add(0, c);
            kind.hub |= hubs.contains(c.getName());
            kind.soft |= c.getName().equals("java.lang.ref.SoftReference");
        }
        for (JavaClass c : ancestry) {
            machinery |= MACHINERY_ABOVE.contains(c.getName());
            for (Field field : (List<Field>) c.getFields()) {
                fields += field.isStatic() ? 0 : SIZES.getOrDefault(field.getType().getName(), 4);
            }
            boolean jdk = c.getClassLoader() == null || c.getClassLoader().getInstanceId() == 0;
            if (MACHINERY.contains(c.getName()) || machinery && jdk) {
                ((List<Field>) c.getFields()).forEach(field -> kind.unfollowed.add(c.getName() + "." + field.getName()));
            }
        }
        kind.bytes = bytes.getOrDefault(kind.name, fields + 7 & ~7);
        return kind;
    }

    private void read(Heap heap) {
        List<Instance> all = new ArrayList<>();
        for (Iterator<Instance> i = heap.getAllInstancesIterator(); i.hasNext();) {
            all.add(i.next());
        }
        all.sort((a, b) -> Long.compare(a.getInstanceId(), b.getInstanceId()));
        ids = all.stream().mapToLong(Instance::getInstanceId).toArray();
        kindOf = new Kind[ids.length];
        size = new long[ids.length];
        references = new int[ids.length][];
        further = new int[ids.length][0];
        for (int at = 0; at < ids.length; at++) {
            Instance instance = all.set(at, null);
            Kind kind = kind(instance.getJavaClass());
            kindOf[at] = kind;
            List<Integer> found = new ArrayList<>();
            List<Integer> more = new ArrayList<>();
            if (instance instanceof ObjectArrayInstance) {
                ObjectArrayInstance array = (ObjectArrayInstance) instance;
                size[at] = 16 + array.getLength() * 4L + 7 & ~7L;
                ((List<Instance>) array.getValues()).forEach(value -> add(found, value));
            } else if (instance instanceof PrimitiveArrayInstance) {
                size[at] = 16 + ((PrimitiveArrayInstance) instance).getLength() * (long) SIZES.getOrDefault(kind.name.replace("[]", ""), 4) + 7 & ~7L;
            } else {
                size[at] = kind.bytes;
                for (FieldValue value : (List<FieldValue>) instance.getFieldValues()) {
                    String field = value.getField().getDeclaringClass().getName() + "." + value.getField().getName();
                    boolean weak = field.equals("java.lang.ref.Reference.referent") && !kind.soft;
                    if (value instanceof ObjectFieldValue && !weak) {
                        add(kind.unfollowed.contains(field) ? more : found, ((ObjectFieldValue) value).getInstance());
                    }
                }
            }
            further[at] = more.stream().mapToInt(Integer::intValue).toArray();
            references[at] = found.stream().mapToInt(Integer::intValue).toArray();
        }
    }

    private void readStatics(Heap heap) {
        for (JavaClass type : (List<JavaClass>) heap.getAllClasses()) {
            add(statics, type.getClassLoader());
            for (FieldValue value : (List<FieldValue>) type.getStaticFieldValues()) {
                if (value instanceof ObjectFieldValue) {
                    add(statics, ((ObjectFieldValue) value).getInstance());
                }
            }
        }
    }

    private void add(List<Integer> found, Instance value) {
        int at = value == null ? -1 : Arrays.binarySearch(ids, value.getInstanceId());
        if (at >= 0) {
            found.add(at);
        }
    }

    /** What the tracked objects of each owner reach without entering an object of another: and no other owner so reaches. */
    private void own(String of) {
        boolean byComponent = of.equals("component");
        Map<String, Integer> owners = new HashMap<>();
        int[] owner = new int[ids.length];
        boolean[] closed = new boolean[ids.length];
        for (int at = 0; at < ids.length; at++) {
            Kind kind = kindOf[at];
            String name = byComponent ? kind.component < 0 ? null : names.get(indexOf(kind.component)) : kind.tracked ? kind.name : null;
            owner[at] = name == null ? -1 : owners.computeIfAbsent(name, one -> owners.size());
            closed[at] = name != null || kind.hub;
        }
        // By object: nobody (-1), the only owner, or several (-2). A walk for each owner; what two of them meet is shared.
        int[] held = new int[ids.length];
        int[] lastBy = new int[ids.length];
        Arrays.fill(held, -1);
        Arrays.fill(lastBy, -1);
        String[] ordered = new String[owners.size()];
        owners.forEach((name, number) -> ordered[number] = name);
        List<List<Integer>> roots = new ArrayList<>();
        for (int i = 0; i < ordered.length; i++) {
            roots.add(new ArrayList<>());
        }
        for (int at = 0; at < ids.length; at++) {
            if (owner[at] >= 0 && kindOf[at].tracked) {
                roots.get(owner[at]).add(at);
            }
        }
        long[] own = new long[ordered.length];
        int[] stack = new int[ids.length];
        for (int number = 0; number < ordered.length; number++) {
            int depth = 0;
            for (int root : roots.get(number)) {
                if (lastBy[root] != number) {
                    lastBy[root] = number;
                    held[root] = number;
                    stack[depth++] = root;
                }
                while (depth > 0) {
                    for (int target : references[stack[--depth]]) {
                        boolean enters = !kindOf[target].skipped && (!closed[target] || owner[target] == number && !kindOf[target].hub);
                        if (enters && lastBy[target] != number) {
                            lastBy[target] = number;
                            held[target] = held[target] == -1 ? number : -2;
                            stack[depth++] = target;
                        }
                    }
                }
            }
        }
        for (int at = 0; at < ids.length; at++) {
            if (held[at] >= 0) {
                own[held[at]] += size[at];
            }
        }
        for (int number = 0; number < ordered.length; number++) {
            System.out.println(of + " " + ordered[number] + " " + roots.get(number).size() + " " + own[number]);
        }
    }

    /** What no root reaches any more without a thread's frames and thread locals. */
    private void alone(Heap heap) {
        List<GCRoot> roots = new ArrayList<>(heap.getGCRoots());
        for (GCRoot root : roots) {
            Instance thread = root instanceof ThreadObjectGCRoot ? root.getInstance() : null;
            String name = thread == null ? "" : text((Instance) thread.getValueOfField("name"));
            if (!threads.matcher(name).matches()) {
                continue;
            }
            int own = Arrays.binarySearch(ids, thread.getInstanceId());
            List<Integer> from = new ArrayList<>(statics);
            List<Integer> ofThread = new ArrayList<>(List.of(own));
            for (String locals : List.of("threadLocals", "inheritableThreadLocals")) {
                add(ofThread, (Instance) thread.getValueOfField(locals));
            }
            for (GCRoot other : roots) {
                boolean frame = other instanceof JavaFrameGCRoot
                        && ((JavaFrameGCRoot) other).getThreadGCRoot().getInstance().equals(thread);
                boolean ofRuntime = frame && ofRuntime((ThreadObjectGCRoot) root, ((JavaFrameGCRoot) other).getFrameNumber());
                if (other != root && !ofRuntime) {
                    add(frame ? ofThread : from, other.getInstance());
                }
            }
            // What else holds the Thread object does not hold its thread locals for longer than the thread runs.
            int[] fields = further[own];
            further[own] = Arrays.stream(fields).filter(field -> !ofThread.contains(field)).toArray();
            boolean[] seen = new boolean[ids.length];
            flood(from, seen);
            further[own] = fields;
            long bytes = flood(ofThread, seen);
            System.out.println("thread " + bytes + " " + name);
        }
    }

    /** What the frames of Weighbridge's runtime hold is not the program's. */
    private static boolean ofRuntime(ThreadObjectGCRoot thread, int frame) {
        StackTraceElement[] frames = thread.getStackTrace();
        return frames != null && frame >= 0 && frame < frames.length && frames[frame].getClassName().startsWith("io.weighbridge.");
    }

    /** Marks what was not seen before and is reached. Returns its bytes. */
    private long flood(List<Integer> from, boolean[] seen) {
        long bytes = 0;
        int[] stack = new int[ids.length];
        for (int root : from) {
            int depth = 0;
            if (!seen[root]) {
                seen[root] = true;
                stack[depth++] = root;
            }
            while (depth > 0) {
                int at = stack[--depth];
                bytes += size[at];
                for (int[] targets : new int[][] {references[at], further[at]}) {
                    for (int target : targets) {
                        if (!seen[target]) {
                            seen[target] = true;
                            stack[depth++] = target;
                        }
                    }
                }
            }
        }
        return bytes;
    }

    private static String text(Instance string) {
        if (string == null) {
            return "";
        }
        PrimitiveArrayInstance value = (PrimitiveArrayInstance) string.getValueOfField("value");
        StringBuilder text = new StringBuilder();
        ((List<String>) value.getValues()).forEach(one -> text.append((char) Integer.parseInt(one)));
        return text.toString();
    }

    private int indexOf(int component) {
        for (int i = 0; i < names.size(); i++) {
            if (components.get(names.get(i)) == component) {
                return i;
            }
        }
        throw new IllegalStateException();
    }
}
