import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/** What a probe kind injects, and where it must be. */
enum Injected {
    LIVE(3), COUNT(3), METHOD(4), COVERAGE(2), USAGE(3);

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
            case "lines" -> COVERAGE;
            case "uses of objects" -> USAGE;
            default -> throw new IllegalArgumentException(kind);
        };
    }

    boolean ofConstructors() {
        return this == LIVE || this == COUNT;
    }

    /** The call that must be at the entry of a method with code, or null. */
    String atEntry(MethodNode method) {
        boolean isUse = this == USAGE && (method.access & Opcodes.ACC_STATIC) == 0 && !method.name.equals("<init>");
        return this == METHOD ? "enter" : isUse ? "used" : null;
    }

    /** The call that must be before an instruction of a method of the class {@code own}, or null. */
    String before(AbstractInsnNode node, MethodNode method, String own) {
        int opcode = node.getOpcode();
        return switch (this) {
            case LIVE, COUNT -> isCloneOfObject(node) ? "keep" : null;
            case METHOD -> opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN ? "exit" : null;
            case COVERAGE -> startsLine(node) ? "hit" : null;
            case USAGE -> node instanceof FieldInsnNode && !mayBeUninitialized((FieldInsnNode) node, method, own) ? use((FieldInsnNode) node, method) : null;
        };
    }

    /** The call that must be after an instruction of a method of the class {@code own}, or null. */
    String after(AbstractInsnNode node, String own, boolean canLoadClass) {
        return switch (this) {
            case LIVE, COUNT -> isCloneOfObject(node) ? "cloned" : isSuperClone(node, own, canLoadClass) ? "clonedBySuper" : null;
            default -> null;
        };
    }

    /** The call before an access of a field of an object: the object is on top of the stack, or below the value. */
    private static String use(FieldInsnNode node, MethodNode method) {
        return switch (node.getOpcode()) {
            case Opcodes.GETFIELD -> isThis(before(node), method) ? null : "usedByRead";
            // Below two slots it cannot be reached.
            case Opcodes.PUTFIELD -> Type.getType(node.desc).getSize() == 2 ? null : "usedByWrite";
            default -> null;
        };
    }

    /** A constructor may set fields of its own class before {@code super(...)}. */
    private static boolean mayBeUninitialized(FieldInsnNode node, MethodNode method, String own) {
        return method.name.equals("<init>") && node.owner.equals(own);
    }

    private static boolean isThis(AbstractInsnNode node, MethodNode method) {
        return node instanceof VarInsnNode && node.getOpcode() == Opcodes.ALOAD && ((VarInsnNode) node).var == 0
                && (method.access & Opcodes.ACC_STATIC) == 0;
    }

    /** Whether a line of the source begins at an instruction, or the method. */
    private static boolean startsLine(AbstractInsnNode node) {
        AbstractInsnNode at = node.getPrevious();
        while (at != null && at.getOpcode() < 0) {
            if (at instanceof LineNumberNode) {
                return true;
            }
            at = at.getPrevious();
        }
        return at == null;
    }

    /** The instruction before another one, or null. */
    private static AbstractInsnNode before(AbstractInsnNode node) {
        AbstractInsnNode at = node.getPrevious();
        while (at != null && at.getOpcode() < 0) {
            at = at.getPrevious();
        }
        return at;
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
            case "used" -> first.getOpcode() == Opcodes.ALOAD ? first.getNext() : null;
            case "usedByRead" -> first.getOpcode() == Opcodes.DUP ? first.getNext() : null;
            case "usedByWrite" -> first.getOpcode() == Opcodes.DUP2 && first.getNext().getOpcode() == Opcodes.POP ? first.getNext().getNext() : null;
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
        node = afterInt(node);
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
        String method = call.startsWith("used") ? "used" : call;
        if (!invoked.name.equals(method) || !invoked.owner.contains("Weighbridge$")) {
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

    /** What is after a number, which may be the sum of two. */
    private static AbstractInsnNode afterInt(AbstractInsnNode node) {
        AbstractInsnNode next = node.getNext();
        boolean isSum = isInt(next) && next.getNext().getOpcode() == Opcodes.IADD;
        return isSum ? next.getNext().getNext() : next;
    }

    private static boolean isInt(AbstractInsnNode node) {
        boolean isConstant = node instanceof InsnNode && node.getOpcode() >= Opcodes.ICONST_M1 && node.getOpcode() <= Opcodes.ICONST_5;
        return isConstant || node instanceof IntInsnNode && node.getOpcode() != Opcodes.NEWARRAY
                || node instanceof LdcInsnNode && ((LdcInsnNode) node).cst instanceof Integer;
    }
}
