import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.LocalVariableAnnotationNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/** Makes labels comparable: one label before each instruction with references, then its lines, then its frame. */
final class Canonical {
    private final MethodNode method;
    private final Map<LabelNode, Integer> positions = new IdentityHashMap<>();
    private final Map<Integer, LabelNode> fresh = new HashMap<>();
    private final Set<LabelNode> used = new HashSet<>();

    private Canonical(MethodNode method) {
        this.method = method;
    }

    static void labels(MethodNode method) {
        new Canonical(method).run();
    }

    private void run() {
        int position = 0;
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof LabelNode) {
                positions.put((LabelNode) node, position);
            } else if (node.getOpcode() >= 0) {
                position++;
            }
        }
        for (AbstractInsnNode node : method.instructions) {
            references(node);
        }
        used.forEach(label -> fresh.computeIfAbsent(positions.get(label), at -> new LabelNode()));
        List<TryCatchBlockNode> handlers = method.tryCatchBlocks == null ? List.of() : method.tryCatchBlocks;
        for (TryCatchBlockNode handler : handlers) {
            handler.start = mapped(handler.start);
            handler.end = mapped(handler.end);
            handler.handler = mapped(handler.handler);
        }
        List<LocalVariableNode> variables = method.localVariables == null ? List.of() : method.localVariables;
        for (LocalVariableNode variable : variables) {
            variable.start = mapped(variable.start);
            variable.end = mapped(variable.end);
        }
        annotations(method.visibleLocalVariableAnnotations);
        annotations(method.invisibleLocalVariableAnnotations);
        rebuild(position);
    }

    private void references(AbstractInsnNode node) {
        if (node instanceof JumpInsnNode) {
            used.add(((JumpInsnNode) node).label);
        } else if (node instanceof TableSwitchInsnNode) {
            used.add(((TableSwitchInsnNode) node).dflt);
            used.addAll(((TableSwitchInsnNode) node).labels);
        } else if (node instanceof LookupSwitchInsnNode) {
            used.add(((LookupSwitchInsnNode) node).dflt);
            used.addAll(((LookupSwitchInsnNode) node).labels);
        } else if (node instanceof LineNumberNode) {
            used.add(((LineNumberNode) node).start);
        } else if (node instanceof FrameNode) {
            for (List<Object> types : frameTypes((FrameNode) node)) {
                types.stream().filter(LabelNode.class::isInstance).forEach(type -> used.add((LabelNode) type));
            }
        }
    }

    private static List<List<Object>> frameTypes(FrameNode frame) {
        List<List<Object>> types = new ArrayList<>();
        if (frame.local != null) {
            types.add(frame.local);
        }
        if (frame.stack != null) {
            types.add(frame.stack);
        }
        return types;
    }

    private void annotations(List<LocalVariableAnnotationNode> annotations) {
        if (annotations != null) {
            for (LocalVariableAnnotationNode annotation : annotations) {
                annotation.start.replaceAll(this::mapped);
                annotation.end.replaceAll(this::mapped);
            }
        }
    }

    private LabelNode mapped(LabelNode label) {
        return fresh.computeIfAbsent(positions.get(label), at -> new LabelNode());
    }

    private void rebuild(int length) {
        Map<LabelNode, LabelNode> clones = new IdentityHashMap<>();
        positions.forEach((label, at) -> clones.put(label, fresh.get(at)));
        InsnList[] lines = new InsnList[length + 1];
        InsnList[] frames = new InsnList[length + 1];
        AbstractInsnNode[] instructions = new AbstractInsnNode[length];
        int position = 0;
        for (AbstractInsnNode node : method.instructions) {
            if (node.getOpcode() >= 0) {
                instructions[position++] = node.clone(clones);
            } else if (!(node instanceof LabelNode)) {
                InsnList[] rows = node instanceof FrameNode ? frames : lines;
                rows[position] = rows[position] == null ? new InsnList() : rows[position];
                rows[position].add(node.clone(clones));
            }
        }
        InsnList all = new InsnList();
        for (int at = 0; at <= length; at++) {
            if (fresh.containsKey(at)) {
                all.add(fresh.get(at));
            }
            for (InsnList[] rows : List.of(lines, frames)) {
                if (rows[at] != null) {
                    all.add(rows[at]);
                }
            }
            if (at < length) {
                all.add(instructions[at]);
            }
        }
        method.instructions = all;
    }
}
