import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/** What a probe kind injects, and where it must be. */
enum Injected {
    LIVE(3), COUNT(3), METHOD(4), ALLOCATION(1), FIELD(1);

    /** The stack slots that the largest sequence needs. */
    final int stack;

    Injected(int stack) {
        this.stack = stack;
    }

    /** The names are those of the Rust side, {@code corpus/kind.rs}. */
    static Injected of(String kind) {
        return switch (kind) {
            case "constructors live" -> LIVE;
            case "constructors count" -> COUNT;
            case "method entry, return, throw" -> METHOD;
            case "allocation sites" -> ALLOCATION;
            case "field accesses" -> FIELD;
            default -> throw new IllegalArgumentException(kind);
        };
    }

    boolean ofConstructors() {
        return this == LIVE || this == COUNT;
    }

    /** The call that must be at the entry of every method with code, or null. */
    String atEntry() {
        return this == METHOD ? "enter" : null;
    }

    /** The call that must be before an instruction, or null. */
    String before(AbstractInsnNode node) {
        int opcode = node.getOpcode();
        return switch (this) {
            case METHOD -> opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN ? "exit" : null;
            case ALLOCATION -> opcode == Opcodes.NEW ? "allocate" : null;
            case FIELD -> opcode == Opcodes.GETFIELD ? "read" : opcode == Opcodes.PUTFIELD ? "write" : null;
            default -> null;
        };
    }

    /** The call that must be after an instruction of a method, or null. */
    String after(AbstractInsnNode node, String method) {
        int opcode = node.getOpcode();
        return switch (this) {
            case LIVE, COUNT -> !method.equals("<init>") && isSuperClone(node) ? "copied" : null;
            case ALLOCATION -> opcode == Opcodes.NEWARRAY || opcode == Opcodes.ANEWARRAY || opcode == Opcodes.MULTIANEWARRAY ? "allocate" : null;
            case FIELD -> opcode == Opcodes.GETSTATIC ? "read" : opcode == Opcodes.PUTSTATIC ? "write" : null;
            default -> null;
        };
    }

    /** A {@code super.clone()} of the JDK makes an object without a constructor. */
    private static boolean isSuperClone(AbstractInsnNode node) {
        return node.getOpcode() == Opcodes.INVOKESPECIAL && ((MethodInsnNode) node).owner.startsWith("java/")
                && ((MethodInsnNode) node).name.equals("clone") && ((MethodInsnNode) node).desc.equals("()Ljava/lang/Object;");
    }

    /** The last instruction of the sequence named {@code call} that starts at {@code first}; null if none does. */
    AbstractInsnNode end(AbstractInsnNode first, String call, String own) {
        AbstractInsnNode node = switch (call) {
            case "live", "count" -> afterObject(first);
            case "liveAll", "countAll" -> afterObjectAndClass(first, own);
            case "copied" -> first.getOpcode() == Opcodes.DUP ? first.getNext() : null;
            default -> first;
        };
        if (!isInt(node)) {
            return null;
        }
        node = node.getNext();
        if (call.equals("exit") || call.equals("raise")) {
            if (node.getOpcode() != Opcodes.LLOAD) {
                return null;
            }
            node = node.getNext();
        }
        if (!(node instanceof MethodInsnNode) || node.getOpcode() != Opcodes.INVOKESTATIC) {
            return null;
        }
        MethodInsnNode invoked = (MethodInsnNode) node;
        if (!invoked.name.equals(call) || !invoked.owner.contains("Weighbridge$")) {
            return null;
        }
        int behind = call.equals("enter") ? Opcodes.LSTORE : call.equals("raise") ? Opcodes.ATHROW : -1;
        if (behind < 0) {
            return node;
        }
        return node.getNext() != null && node.getNext().getOpcode() == behind ? node.getNext() : null;
    }

    /** The instruction after {@code this}, which a counting probe does not load. */
    private AbstractInsnNode afterObject(AbstractInsnNode first) {
        return this == COUNT ? first : first.getOpcode() == Opcodes.ALOAD ? first.getNext() : null;
    }

    /** The instruction after {@code this} or its class, and the own class or null; null if these are missing. */
    private AbstractInsnNode afterObjectAndClass(AbstractInsnNode first, String own) {
        AbstractInsnNode node = first;
        if (node.getOpcode() != Opcodes.ALOAD) {
            return null;
        }
        node = node.getNext();
        if (this == COUNT) {
            if (!isCall(node, Opcodes.INVOKEVIRTUAL, "java/lang/Object", "getClass")) {
                return null;
            }
            node = node.getNext();
        }
        boolean isOwn = node instanceof LdcInsnNode && ((LdcInsnNode) node).cst instanceof Type
                && ((Type) ((LdcInsnNode) node).cst).getInternalName().equals(own);
        return isOwn || node != null && node.getOpcode() == Opcodes.ACONST_NULL ? node.getNext() : null;
    }

    /** The name of the bridge's method, for probes of constructors of a class. */
    String bridgeCall(int access) {
        String track = this == LIVE ? "live" : "count";
        return (access & Opcodes.ACC_FINAL) != 0 ? track : track + "All";
    }

    private static boolean isCall(AbstractInsnNode node, int opcode, String owner, String name) {
        return node instanceof MethodInsnNode && node.getOpcode() == opcode && ((MethodInsnNode) node).owner.equals(owner)
                && ((MethodInsnNode) node).name.equals(name);
    }

    private static boolean isInt(AbstractInsnNode node) {
        boolean isConstant = node instanceof InsnNode && node.getOpcode() >= Opcodes.ICONST_M1 && node.getOpcode() <= Opcodes.ICONST_5;
        return isConstant || node instanceof IntInsnNode && node.getOpcode() != Opcodes.NEWARRAY
                || node instanceof LdcInsnNode && ((LdcInsnNode) node).cst instanceof Integer;
    }
}
