package io.weighbridge.build;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jacoco.core.internal.data.CRC64;
import org.jacoco.core.internal.flow.ClassProbesAdapter;
import org.jacoco.core.internal.flow.ClassProbesVisitor;
import org.jacoco.core.internal.flow.IFrame;
import org.jacoco.core.internal.flow.LabelInfo;
import org.jacoco.core.internal.flow.MethodProbesVisitor;
import org.jacoco.core.internal.instr.InstrSupport;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.Opcodes;

/**
 * Where JaCoCo puts its probes in a class, found by JaCoCo's own flow analysis.
 *
 * <p>The analysis is no public interface of JaCoCo: the plugin depends on one version of it and tests what it does.
 */
final class Probes {
    /** JaCoCo's id of the class: a checksum of its bytes. */
    final long id;

    /** How many probes the class has. */
    private int count;

    /** Instructions and probes of each method, by name and descriptor. */
    private final Map<String, MethodCode> methods = new HashMap<>();

    private Probes(long id) {
        this.id = id;
    }

    /** Finds the probes of a class file. */
    static Probes of(byte[] classFile) {
        Probes probes = new Probes(CRC64.classId(classFile));
        InstrSupport.classReaderFor(classFile).accept(new ClassProbesAdapter(probes.visitor(), false), 0);
        return probes;
    }

    /**
     * What was recorded for a rewritten form of this class, for this class.
     *
     * <p>Rewriting inserts instructions. JaCoCo puts a probe before a line that calls a method, so an inserted call can
     * bring a probe that this class does not have. It is left out.
     *
     * @param hits by the rewritten class's probes
     * @return hits by this class's probes; null if the other class is not this one with instructions inserted
     */
    boolean[] translate(Probes rewritten, boolean[] hits) {
        if (hits.length != rewritten.count) {
            return null;
        }
        boolean[] translated = new boolean[count];
        for (Map.Entry<String, MethodCode> entry : methods.entrySet()) {
            MethodCode other = rewritten.methods.get(entry.getKey());
            if (other == null || !entry.getValue().translate(other, hits, translated)) {
                return null;
            }
        }
        return translated;
    }

    private ClassProbesVisitor visitor() {
        return new ClassProbesVisitor() {
            @Override
            public MethodProbesVisitor visitMethod(
                    int access, String name, String descriptor, String signature, String[] exceptions) {
                MethodCode method = new MethodCode();
                methods.put(name + descriptor, method);
                return method;
            }

            @Override
            public void visitTotalProbeCount(int total) {
                count = total;
            }
        };
    }

    /** The code of a method: a text for each instruction, the same text for each probe. */
    private static final class MethodCode extends MethodProbesVisitor {
        private static final String PROBE = "probe";

        private final List<String> code = new ArrayList<>();

        /** Numbers of the probes, in the order of the code. */
        private final List<Integer> probes = new ArrayList<>();

        /** Finds this code in code with more instructions: each instruction is the next equal one there. */
        boolean translate(MethodCode rewritten, boolean[] hits, boolean[] translated) {
            int at = 0;
            int seen = 0;
            int own = 0;
            for (String instruction : code) {
                boolean found = false;
                while (!found && at < rewritten.code.size()) {
                    String candidate = rewritten.code.get(at++);
                    found = candidate.equals(instruction);
                    if (candidate.equals(PROBE)) {
                        seen++;
                    }
                }
                if (!found) {
                    return false;
                }
                if (instruction.equals(PROBE)) {
                    translated[probes.get(own++)] = hits[rewritten.probes.get(seen - 1)];
                }
            }
            return true;
        }

        private void add(Object... instruction) {
            code.add(List.of(instruction).toString());
        }

        @Override
        public void visitProbe(int probe) {
            code.add(PROBE);
            probes.add(probe);
        }

        @Override
        public void visitInsnWithProbe(int opcode, int probe) {
            // JaCoCo has the probe before the instruction. Behind it, it cannot be taken for one of an inserted call.
            visitInsn(opcode);
            visitProbe(probe);
        }

        @Override
        public void visitJumpInsnWithProbe(int opcode, Label label, int probe, IFrame frame) {
            visitJumpInsn(opcode, label);
            visitProbe(probe);
        }

        @Override
        public void visitTableSwitchInsnWithProbes(int least, int most, Label other, Label[] labels, IFrame frame) {
            visitTableSwitchInsn(least, most, other, labels);
            visitSwitchProbes(other, labels);
        }

        @Override
        public void visitLookupSwitchInsnWithProbes(Label other, int[] keys, Label[] labels, IFrame frame) {
            visitLookupSwitchInsn(other, keys, labels);
            visitSwitchProbes(other, labels);
        }

        private void visitSwitchProbes(Label other, Label[] labels) {
            Set<Integer> numbers = new TreeSet<>();
            numbers.add(LabelInfo.getProbeId(other));
            for (Label label : labels) {
                numbers.add(LabelInfo.getProbeId(label));
            }
            numbers.remove(LabelInfo.NO_PROBE);
            numbers.forEach(this::visitProbe);
        }

        @Override
        public void visitInsn(int opcode) {
            add(opcode);
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            add(opcode, operand);
        }

        @Override
        public void visitVarInsn(int opcode, int variable) {
            add(opcode, variable);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            add(opcode, type);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            add(opcode, owner, name, descriptor);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            add(opcode, owner, name, descriptor);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            add(Opcodes.INVOKEDYNAMIC, name, descriptor);
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            add(opcode);
        }

        @Override
        public void visitLdcInsn(Object value) {
            add(Opcodes.LDC, value);
        }

        @Override
        public void visitIincInsn(int variable, int increment) {
            add(Opcodes.IINC, variable, increment);
        }

        @Override
        public void visitTableSwitchInsn(int least, int most, Label other, Label... labels) {
            add(Opcodes.TABLESWITCH, least, most);
        }

        @Override
        public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
            add(Opcodes.LOOKUPSWITCH, keys.length);
        }

        @Override
        public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
            add(Opcodes.MULTIANEWARRAY, descriptor, dimensions);
        }
    }
}
