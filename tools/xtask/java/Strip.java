import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * Removes the injected sequences from a rewritten method.
 *
 * <p>Compares the original and the rewritten instructions one by one. Each sequence must be where its kind inserts it, on
 * the correct side of labels, lines and frames: branches to an instruction run code before it, but not code after the
 * previous one or at the entry.
 */
final class Strip {
    /** How many sequences were removed. */
    int sequences;
    /** How many jumps were widened: the opposite jump over a {@code goto_w}. */
    int widened;

    private final Injected kind;
    private final String own;
    /** Its code can load a class: the file's version is 49 or later. */
    private final boolean canLoadClass;
    private final String superName;
    private final String call;
    private final MethodNode was;
    private final MethodNode is;
    private final Set<Integer> framesOfWidening = new HashSet<>();
    private int returns;
    private int atReturns;
    private int afterSuper;
    private int delegations;
    private int superCalls;
    private int atClones;

    Strip(Injected kind, ClassNode of, MethodNode was, MethodNode is) {
        this.kind = kind;
        this.own = of.name;
        this.canLoadClass = (of.version & 0xffff) >= Opcodes.V1_5;
        this.superName = of.superName;
        this.call = kind.bridgeCall(of.access);
        this.was = was;
        this.is = is;
    }

    /** Strips the method; returns the problem, or null. */
    String run() {
        List<AbstractInsnNode> expected = real(was);
        AbstractInsnNode at = is.instructions.getFirst();
        String atEntry = kind.atEntry(was);
        if (atEntry != null && !expected.isEmpty()) {
            while (at instanceof LabelNode) {
                at = at.getNext();
            }
            AbstractInsnNode end = kind.end(at, atEntry, own);
            if (end == null) {
                return "no call at the entry";
            }
            at = remove(at, end);
        }
        for (int i = 0; i < expected.size(); i++) {
            AbstractInsnNode original = expected.get(i);
            at = nextReal(at);
            String before = kind.before(original, was, own);
            boolean optional = kind.ofConstructors() && original.getOpcode() == Opcodes.RETURN && was.name.equals("<init>");
            if (before != null || optional) {
                AbstractInsnNode end = at == null ? null : kind.end(at, optional ? call : before, own);
                if (end != null) {
                    at = remove(at, end);
                    atReturns += optional ? 1 : 0;
                    atClones += before != null && Injected.isOfClone(before) ? 1 : 0;
                    while (at instanceof LabelNode && original.getOpcode() == Opcodes.NEW) {
                        at = at.getNext();
                    }
                    if (at == null || at.getOpcode() < 0) {
                        return "a label, line or frame between the call and instruction " + i;
                    }
                } else if (!optional) {
                    return "no call before instruction " + i;
                }
            }
            returns += original.getOpcode() == Opcodes.RETURN ? 1 : 0;
            if (at == null) {
                return "the code ends before instruction " + i;
            }
            if (at.getOpcode() != original.getOpcode()) {
                AbstractInsnNode narrowed = narrow(at, original, i);
                if (narrowed == null) {
                    return "opcode " + original.getOpcode() + " at instruction " + i + " became " + at.getOpcode();
                }
                at = narrowed;
            }
            AbstractInsnNode done = at;
            at = at.getNext();
            String after = kind.after(original, own, canLoadClass);
            boolean constructed = kind.ofConstructors() && isConstructorCall(original) && was.name.equals("<init>");
            boolean returnsNext = i + 1 < expected.size() && expected.get(i + 1).getOpcode() == Opcodes.RETURN;
            if (after != null || constructed && !returnsNext) {
                AbstractInsnNode end = at == null ? null : kind.end(at, constructed ? call : after, own);
                if (end != null) {
                    at = remove(at, end);
                    afterSuper += constructed ? 1 : 0;
                    atClones += after != null && Injected.isOfClone(after) ? 1 : 0;
                } else if (!constructed) {
                    return "no call after instruction " + i + ", opcode " + done.getOpcode();
                }
            }
        }
        if (nextReal(at) != null && !handler(at)) {
            return "instructions beyond the original's last";
        }
        return placement() != null ? placement() : limits();
    }

    /** Removes the handler after the original code, and its entry, which must be the last. */
    private boolean handler(AbstractInsnNode at) {
        AbstractInsnNode first = nextReal(at);
        AbstractInsnNode end = kind.end(first, "raise", own);
        if (end == null || nextReal(end.getNext()) != null || is.tryCatchBlocks.isEmpty()) {
            return false;
        }
        TryCatchBlockNode last = is.tryCatchBlocks.remove(is.tryCatchBlocks.size() - 1);
        if (last.type != null || nextReal(last.handler) != first || nextReal(last.end) != first) {
            return false;
        }
        for (AbstractInsnNode node = at; node != first;) {
            AbstractInsnNode following = node.getNext();
            if (node instanceof FrameNode) {
                is.instructions.remove(node);
            }
            node = following;
        }
        remove(first, end);
        return true;
    }

    /** Removes the local variable of the probes from the expanded frames. */
    void dropAddedLocal() {
        for (AbstractInsnNode node : is.instructions) {
            if (node instanceof FrameNode) {
                List<Object> locals = ((FrameNode) node).local;
                int slots = 0;
                int own = 0;
                while (own < locals.size() && slots < was.maxLocals) {
                    Object type = locals.get(own++);
                    slots += type.equals(Opcodes.LONG) || type.equals(Opcodes.DOUBLE) ? 2 : 1;
                }
                ((FrameNode) node).local = new ArrayList<>(locals.subList(0, own));
            }
        }
    }

    /** Removes unusable local variables at the end of frames: frames with and without them are equal. */
    static void trimFrames(MethodNode method) {
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof FrameNode) {
                List<Object> locals = ((FrameNode) node).local;
                while (!locals.isEmpty() && locals.get(locals.size() - 1).equals(Opcodes.TOP)) {
                    locals.remove(locals.size() - 1);
                }
            }
        }
    }

    /** Checks that a constructor has its probe at each return or after {@code super(...)}, and none if it delegates. */
    private String placement() {
        if (!kind.ofConstructors() || !was.name.equals("<init>")) {
            // The other kinds were checked at each call.
            return null;
        }
        if (sequences == atClones) {
            return delegations > 0 || returns == 0 ? null : "a constructor without probe that does not delegate";
        }
        if (superCalls == 0) {
            return "a probe in a constructor without super(...)";
        }
        boolean complete = afterSuper > 0 ? atReturns == 0 : atReturns == returns;
        return complete ? null : atReturns + " of " + returns + " returns have a probe, and " + afterSuper + " calls of super(...)";
    }

    private String limits() {
        int extra = sequences > 0 ? kind.stack : 0;
        if (is.maxStack < was.maxStack || is.maxStack > was.maxStack + extra) {
            return "max_stack " + was.maxStack + " became " + is.maxStack;
        }
        is.maxStack = was.maxStack;
        int added = kind == Injected.METHOD && sequences > 0 ? 2 : 0;
        // A method that calls only super.clone() needs none.
        boolean mayKeepOriginal = atClones > 0 && is.maxLocals == was.maxLocals + 1;
        if (is.maxLocals != was.maxLocals + added && !mayKeepOriginal) {
            return "max_locals " + was.maxLocals + " became " + is.maxLocals;
        }
        is.maxLocals = was.maxLocals;
        return null;
    }

    private boolean isConstructorCall(AbstractInsnNode node) {
        if (node.getOpcode() != Opcodes.INVOKESPECIAL || !((MethodInsnNode) node).name.equals("<init>")) {
            return false;
        }
        delegations += ((MethodInsnNode) node).owner.equals(own) ? 1 : 0;
        superCalls += ((MethodInsnNode) node).owner.equals(superName) ? 1 : 0;
        return true;
    }

    /** Restores a jump that was widened; null if it was not. */
    private AbstractInsnNode narrow(AbstractInsnNode node, AbstractInsnNode original, int index) {
        if (!(node instanceof JumpInsnNode) || !(original instanceof JumpInsnNode) || opposite(original.getOpcode()) != node.getOpcode()) {
            return null;
        }
        AbstractInsnNode far = node.getNext();
        if (!(far instanceof JumpInsnNode) || far.getOpcode() != Opcodes.GOTO || nextReal(((JumpInsnNode) node).label) != nextReal(far.getNext())) {
            return null;
        }
        JumpInsnNode narrowed = new JumpInsnNode(original.getOpcode(), ((JumpInsnNode) far).label);
        is.instructions.set(node, narrowed);
        is.instructions.remove(far);
        widened++;
        framesOfWidening.add(index + 1);
        return narrowed;
    }

    private static int opposite(int opcode) {
        return opcode >= Opcodes.IFNULL ? opcode ^ 1 : ((opcode + 1) ^ 1) - 1;
    }

    /** Drops the frames that only widened jumps need; the labels of both methods must be canonical. */
    void dropFramesOfWidening() {
        Set<Integer> kept = frames(was.instructions, Set.of());
        Set<Integer> dropped = new HashSet<>(framesOfWidening);
        dropped.removeAll(kept);
        frames(is.instructions, dropped);
    }

    /** Removes the frames at the given positions; returns the positions of the others. */
    private static Set<Integer> frames(InsnList instructions, Set<Integer> dropped) {
        Set<Integer> positions = new HashSet<>();
        int position = 0;
        for (AbstractInsnNode node : instructions.toArray()) {
            if (node.getOpcode() >= 0) {
                position++;
            } else if (node instanceof FrameNode && dropped.contains(position)) {
                instructions.remove(node);
            } else if (node instanceof FrameNode) {
                positions.add(position);
            }
        }
        return positions;
    }

    private AbstractInsnNode remove(AbstractInsnNode first, AbstractInsnNode last) {
        AbstractInsnNode next = last.getNext();
        for (AbstractInsnNode node = first; node != next;) {
            AbstractInsnNode following = node.getNext();
            is.instructions.remove(node);
            node = following;
        }
        sequences++;
        return next;
    }

    private static AbstractInsnNode nextReal(AbstractInsnNode node) {
        while (node != null && node.getOpcode() < 0) {
            node = node.getNext();
        }
        return node;
    }

    private static List<AbstractInsnNode> real(MethodNode method) {
        List<AbstractInsnNode> all = new ArrayList<>();
        for (AbstractInsnNode node : method.instructions) {
            if (node.getOpcode() >= 0) {
                all.add(node);
            }
        }
        return all;
    }
}
