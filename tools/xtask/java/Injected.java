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
            case LIVE, COUNT -> isCloneOfObject(node) ? "keep" : null;
            case METHOD -> opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN ? "exit" : null;
            case ALLOCATION -> opcode == Opcodes.NEW ? "allocate" : null;
            case FIELD -> opcode == Opcodes.GETFIELD ? "read" : opcode == Opcodes.PUTFIELD ? "write" : null;
            default -> null;
        };
    }

    /** The call that must be after an instruction of a method of the class {@code own}, or null. */
    String after(AbstractInsnNode node, String own, boolean canLoadClass) {
        int opcode = node.getOpcode();
        return switch (this) {
            case LIVE, COUNT -> isCloneOfObject(node) ? "cloned" : isSuperClone(node, own, canLoadClass) ? "clonedBySuper" : null;
            case ALLOCATION -> opcode == Opcodes.NEWARRAY || opcode == Opcodes.ANEWARRAY || opcode == Opcodes.MULTIANEWARRAY ? "allocate" : null;
            case FIELD -> opcode == Opcodes.GETSTATIC ? "read" : opcode == Opcodes.PUTSTATIC ? "write" : null;
            default -> null;
        };
    }

    /** Whether the calls told are about a {@code clone()}. */
    static boolean isOfClone(String call) {
        return call.equals("keep") || call.equals("cloned") || call.equals("clonedBySuper");
    }

    private static boolean isClone(AbstractInsnNode node) {
        return node instanceof MethodInsnNode && ((MethodInsnNode) node).name.equals("clone")
                && ((MethodInsnNode) node).desc.startsWith("()L");
    }

    private static boolean isCloneOfObject(AbstractInsnNode node) {
        boolean searches = node.getOpcode() == Opcodes.INVOKEVIRTUAL || node.getOpcode() == Opcodes.INVOKEINTERFACE;
        return searches && isClone(node) && !((MethodInsnNode) node).owner.startsWith("[");
    }

    /** An old class cannot say where the search for the method begins, unless it is {@code Object}. */
    private static boolean isSuperClone(AbstractInsnNode node, String own, boolean canLoadClass) {
        if (node.getOpcode() != Opcodes.INVOKESPECIAL || !isClone(node) || ((MethodInsnNode) node).itf) {
            return false;
        }
        String owner = ((MethodInsnNode) node).owner;
        return canLoadClass ? !owner.equals(own) : owner.equals("java/lang/Object");
    }

    /** The last instruction of the sequence named {@code call} that starts at {@code first}; null if none does. */
    AbstractInsnNode end(AbstractInsnNode first, String call, String own) {
        AbstractInsnNode node = switch (call) {
            case "live", "count" -> afterObject(first);
            case "liveAll", "countAll" -> afterObjectAndClass(first, own);
            case "keep", "cloned", "clonedBySuper" -> first.getOpcode() == Opcodes.DUP ? first.getNext() : null;
            default -> first;
        };
        if (call.equals("keep")) {
            return node != null && node.getOpcode() == Opcodes.ASTORE ? node : null;
        }
        if (call.equals("cloned")) {
            node = node != null && node.getOpcode() == Opcodes.ALOAD ? node.getNext() : null;
        } else if (call.equals("clonedBySuper")) {
            node = isClass(node, own) ? node.getNext() : null;
        }
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
        if (call.equals("cloned")) {
            AbstractInsnNode empty = node.getNext();
            boolean isEmptied = empty != null && empty.getOpcode() == Opcodes.ACONST_NULL
                    && empty.getNext() != null && empty.getNext().getOpcode() == Opcodes.ASTORE;
            return isEmptied ? empty.getNext() : null;
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
        return isClass(node, own) ? node.getNext() : null;
    }

    /** Whether an instruction loads the own class, or null for it. */
    private static boolean isClass(AbstractInsnNode node, String own) {
        boolean isOwn = node instanceof LdcInsnNode && ((LdcInsnNode) node).cst instanceof Type
                && ((Type) ((LdcInsnNode) node).cst).getInternalName().equals(own);
        return isOwn || node != null && node.getOpcode() == Opcodes.ACONST_NULL;
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
