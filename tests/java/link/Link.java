import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Defines the classes of a packed file and links each, initialising none.
 *
 * <p>{@code getDeclaredConstructors} makes HotSpot link the class before it looks at the constructors, and linking
 * verifies it (JVMS 5.4.1). All missing classes give the same answer: the order in which the verifier asks for classes
 * depends on addresses in the VM.
 */
final class Link extends ClassLoader {
    private final Map<String, byte[]> classes = new LinkedHashMap<>();

    private Link(Path file) throws IOException {
        super(ClassLoader.getPlatformClassLoader());
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            while (true) {
                String name = new String(in.readNBytes(in.readInt()), "UTF-8");
                classes.put(name, in.readNBytes(in.readInt()));
            }
        } catch (EOFException end) {
            return;
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = classes.get(name.replace('.', '/'));
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    public static void main(String[] args) throws Exception {
        Link loader = new Link(Path.of(args[0]));
        StringBuilder out = new StringBuilder();
        for (String name : loader.classes.keySet()) {
            String result;
            try {
                Class.forName(name.replace('/', '.'), false, loader).getDeclaredConstructors();
                result = "linked";
            } catch (NoClassDefFoundError missing) {
                result = "a class is missing";
            } catch (Throwable failure) {
                result = String.valueOf(failure).lines().findFirst().orElse("");
            }
            out.append(name).append('\t').append(result).append('\n');
        }
        System.out.print(out);
    }
}
