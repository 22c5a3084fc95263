import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Injects {@code Bridge.liveAll(this, Own.class, id)}, or {@code live(this, id)} if the class is final, before every
 * return of every constructor that calls {@code super(...)}. Uses ASM, in one thread and in memory. Prints megabytes of
 * input per second of the thread's CPU time for each round, so that other load, the collector and the compiler do not
 * count.
 *
 * <p>Corresponds to {@code rewriter/jars/benches/constructors.rs}: same jar, same classes, same calls. {@code benches/run} fails
 * unless both count the same probes. The differences favour ASM: it distinguishes {@code this(...)} from
 * {@code super(...)} by counting {@code new}, assumes that local 0 is {@code this}, proves nothing about
 * {@code uninitializedThis}, and ignores copies by {@code super.clone()}.
 *
 * <p>With {@code copy} the writer gets the reader's constant pool, so that ASM copies unchanged methods ("mostly add"
 * transformations, ASM guide 2.2.4); with {@code plain} it does not. Neither computes frames or stack depths:
 * {@code visitMaxs} adds the most that the call needs.
 */
public final class ConstructorCalls {
    private static final int WARM_UP_SECONDS = 10;
    private static final int WARM_UP_ROUNDS = 20;

    private ConstructorCalls() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 3) {
            throw new IllegalArgumentException("arguments: JAR copy|plain ROUNDS");
        }
        List<byte[]> classes = read(arguments[0]);
        boolean copy = arguments[1].equals("copy");
        long bytes = classes.stream().mapToLong(content -> content.length).sum();
        long warmUntil = cpuTime() + WARM_UP_SECONDS * 1_000_000_000L;
        int warmUps = 0;
        while (cpuTime() < warmUntil || warmUps < WARM_UP_ROUNDS) {
            round(classes, copy);
            warmUps++;
        }
        double[] rates = new double[Integer.parseInt(arguments[2])];
        Written written = null;
        for (int at = 0; at < rates.length; at++) {
            long start = cpuTime();
            written = round(classes, copy);
            rates[at] = bytes / 1e6 / ((cpuTime() - start) / 1e9);
        }
        double[] sorted = rates.clone();
        Arrays.sort(sorted);
        System.out.printf(
                "{\"engine\":\"asm-%s\",\"classes\":%d,\"bytes_in\":%d,\"bytes_out\":%d,\"probes\":%d,\"warm_up_rounds\":%d,"
                        + "\"median_mb_per_s\":%.1f,\"mb_per_s\":%s}%n",
                arguments[1], classes.size(), bytes, written.bytes, written.probes, warmUps, sorted[sorted.length / 2], rounded(rates));
    }

    private static long cpuTime() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static List<byte[]> read(String jar) throws IOException {
        List<byte[]> classes = new ArrayList<>();
        try (ZipFile zip = new ZipFile(jar)) {
            Enumeration<? extends ZipEntry> entries = zip.entries();
            while (entries.hasMoreElements()) {
                ZipEntry entry = entries.nextElement();
                if (entry.getName().endsWith(".class")) {
                    classes.add(zip.getInputStream(entry).readAllBytes());
                }
            }
        }
        return classes;
    }

    private static Written round(List<byte[]> classes, boolean copy) {
        Written written = new Written();
        for (int id = 0; id < classes.size(); id++) {
            ClassReader reader = new ClassReader(classes.get(id));
            ClassWriter writer = copy ? new ClassWriter(reader, 0) : new ClassWriter(0);
            reader.accept(new Calls(writer, id, written), 0);
            written.bytes += writer.toByteArray().length;
        }
        return written;
    }

    private static String rounded(double[] rates) {
        StringBuilder text = new StringBuilder("[");
        for (int at = 0; at < rates.length; at++) {
            text.append(at == 0 ? "" : ",").append(Math.round(rates[at] * 10) / 10.0);
        }
        return text.append(']').toString();
    }

    /** What a round wrote. */
    private static final class Written {
        long bytes;
        long probes;
    }

    private static final class Calls extends ClassVisitor {
        private final int id;
        private final Written written;
        private boolean isInterface;
        private boolean isFinal;
        private String name;
        private Type ownClass;

        Calls(ClassVisitor next, int id, Written written) {
            super(Opcodes.ASM9, next);
            this.id = id;
            this.written = written;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String above, String[] interfaces) {
            isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
            isFinal = (access & Opcodes.ACC_FINAL) != 0;
            this.name = name;
            ownClass = (version & 0xFFFF) >= Opcodes.V1_5 ? Type.getObjectType(name) : null;
            super.visit(version, access, name, signature, above, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] exceptions) {
            MethodVisitor method = super.visitMethod(access, name, type, signature, exceptions);
            return name.equals("<init>") && !isInterface ? new Returns(method, this) : method;
        }
    }

    private static final class Returns extends MethodVisitor {
        private final Calls calls;
        /** Objects of the class whose constructor is not called yet. */
        private int made;
        private boolean delegates;

        Returns(MethodVisitor next, Calls calls) {
            super(Opcodes.ASM9, next);
            this.calls = calls;
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            if (opcode == Opcodes.NEW && type.equals(calls.name)) {
                made++;
            }
            super.visitTypeInsn(opcode, type);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String type, boolean isInterface) {
            if (opcode == Opcodes.INVOKESPECIAL && name.equals("<init>") && owner.equals(calls.name)) {
                if (made > 0) {
                    made--;
                } else {
                    delegates = true;
                }
            }
            super.visitMethodInsn(opcode, owner, name, type, isInterface);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.RETURN && !delegates) {
                super.visitVarInsn(Opcodes.ALOAD, 0);
                if (!calls.isFinal && calls.ownClass != null) {
                    super.visitLdcInsn(calls.ownClass);
                } else if (!calls.isFinal) {
                    super.visitInsn(Opcodes.ACONST_NULL);
                }
                push(calls.id);
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC,
                        "bench/Weighbridge$0000000000000000",
                        calls.isFinal ? "live" : "liveAll",
                        calls.isFinal ? "(Ljava/lang/Object;I)V" : "(Ljava/lang/Object;Ljava/lang/Class;I)V",
                        false);
                calls.written.probes++;
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            super.visitMaxs(delegates ? maxStack : maxStack + 3, maxLocals);
        }

        private void push(int value) {
            if (value <= 5) {
                super.visitInsn(Opcodes.ICONST_0 + value);
            } else if (value <= Byte.MAX_VALUE) {
                super.visitIntInsn(Opcodes.BIPUSH, value);
            } else if (value <= Short.MAX_VALUE) {
                super.visitIntInsn(Opcodes.SIPUSH, value);
            } else {
                super.visitLdcInsn(value);
            }
        }
    }
}
