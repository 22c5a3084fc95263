//! The instruction set (JVMS §6.5): names, lengths and stack effects. Long because the table is.

/// Opcodes that the code names; the values are those of JVMS §6.5.
#[allow(missing_docs, reason = "the names are the JVMS's")]
pub mod op {
    pub const NOP: u8 = 0x00;
    pub const ACONST_NULL: u8 = 0x01;
    pub const ICONST_0: u8 = 0x03;
    pub const BIPUSH: u8 = 0x10;
    pub const SIPUSH: u8 = 0x11;
    pub const LDC: u8 = 0x12;
    pub const LDC_W: u8 = 0x13;
    pub const LDC2_W: u8 = 0x14;
    pub const ILOAD: u8 = 0x15;
    pub const LLOAD: u8 = 0x16;
    pub const ALOAD: u8 = 0x19;
    pub const ILOAD_0: u8 = 0x1a;
    pub const LLOAD_0: u8 = 0x1e;
    pub const ALOAD_0: u8 = 0x2a;
    pub const ALOAD_3: u8 = 0x2d;
    pub const IALOAD: u8 = 0x2e;
    pub const AALOAD: u8 = 0x32;
    pub const SALOAD: u8 = 0x35;
    pub const ISTORE: u8 = 0x36;
    pub const LSTORE: u8 = 0x37;
    pub const ASTORE: u8 = 0x3a;
    pub const ISTORE_0: u8 = 0x3b;
    pub const LSTORE_0: u8 = 0x3f;
    pub const DSTORE_0: u8 = 0x47;
    pub const ASTORE_0: u8 = 0x4b;
    pub const ASTORE_3: u8 = 0x4e;
    pub const AASTORE: u8 = 0x53;
    pub const POP: u8 = 0x57;
    pub const DUP: u8 = 0x59;
    pub const DUP_X1: u8 = 0x5a;
    pub const DUP_X2: u8 = 0x5b;
    pub const DUP2: u8 = 0x5c;
    pub const DUP2_X1: u8 = 0x5d;
    pub const DUP2_X2: u8 = 0x5e;
    pub const SWAP: u8 = 0x5f;
    pub const IADD: u8 = 0x60;
    pub const IINC: u8 = 0x84;
    pub const IFEQ: u8 = 0x99;
    pub const IF_ACMPNE: u8 = 0xa6;
    pub const GOTO: u8 = 0xa7;
    pub const JSR: u8 = 0xa8;
    pub const RET: u8 = 0xa9;
    pub const TABLESWITCH: u8 = 0xaa;
    pub const LOOKUPSWITCH: u8 = 0xab;
    pub const IRETURN: u8 = 0xac;
    pub const ARETURN: u8 = 0xb0;
    pub const RETURN: u8 = 0xb1;
    pub const GETSTATIC: u8 = 0xb2;
    pub const PUTSTATIC: u8 = 0xb3;
    pub const GETFIELD: u8 = 0xb4;
    pub const PUTFIELD: u8 = 0xb5;
    pub const INVOKEVIRTUAL: u8 = 0xb6;
    pub const INVOKESPECIAL: u8 = 0xb7;
    pub const INVOKESTATIC: u8 = 0xb8;
    pub const INVOKEINTERFACE: u8 = 0xb9;
    pub const INVOKEDYNAMIC: u8 = 0xba;
    pub const NEW: u8 = 0xbb;
    pub const NEWARRAY: u8 = 0xbc;
    pub const ANEWARRAY: u8 = 0xbd;
    pub const ARRAYLENGTH: u8 = 0xbe;
    pub const ATHROW: u8 = 0xbf;
    pub const CHECKCAST: u8 = 0xc0;
    pub const INSTANCEOF: u8 = 0xc1;
    pub const WIDE: u8 = 0xc4;
    pub const MULTIANEWARRAY: u8 = 0xc5;
    pub const IFNULL: u8 = 0xc6;
    pub const IFNONNULL: u8 = 0xc7;
    pub const GOTO_W: u8 = 0xc8;
    pub const JSR_W: u8 = 0xc9;
}

/// The length of `tableswitch`, `lookupswitch` and `wide` depends on their operands.
pub(super) const VARIABLE: u8 = 0;

/// Lengths by opcode, in a table of their own because every step through code needs one. [`VARIABLE`] also for unknown
/// opcodes.
pub(super) const LENGTHS: [u8; 256] = {
    let mut lengths = [VARIABLE; 256];
    let mut i = 0;
    while i < 202 {
        lengths[i] = ROWS[i].1;
        i += 1;
    }
    lengths
};

/// Properties of instructions, one bit each, by opcode. Passes over code check them for nearly every instruction.
pub(super) mod kind {
    use super::op;

    /// It has branch operands.
    pub(crate) const BRANCHES: u8 = 1;
    /// Control does not continue at the next instruction. For `wide` this depends on its operand.
    pub(crate) const ENDS_FLOW: u8 = 2;
    /// It writes local variables. For `wide` this depends on its operand.
    pub(crate) const STORES: u8 = 4;
    /// It jumps to a subroutine or returns from one. For `wide` this depends on its operand.
    pub(crate) const SUBROUTINE: u8 = 8;

    pub(crate) const KINDS: [u8; 256] = {
        let mut kinds = [0; 256];
        let mut i = 0;
        while i < 256 {
            let opcode = i as u8;
            let mut kind = 0;
            if matches!(
                opcode,
                op::IFEQ..=op::JSR | op::TABLESWITCH | op::LOOKUPSWITCH | op::IFNULL..=op::JSR_W
            ) {
                kind |= BRANCHES;
            }
            if matches!(opcode, op::GOTO | op::GOTO_W | op::ATHROW | op::RET..=op::RETURN | op::WIDE) {
                kind |= ENDS_FLOW;
            }
            if matches!(opcode, op::ISTORE..=op::ASTORE | op::ISTORE_0..=op::ASTORE_3 | op::IINC | op::WIDE) {
                kind |= STORES;
            }
            if matches!(opcode, op::JSR | op::JSR_W | op::RET | op::WIDE) {
                kind |= SUBROUTINE;
            }
            kinds[i] = kind;
            i += 1;
        }
        kinds
    };
}

/// The stack effect depends on a descriptor or on the widened instruction.
const V: u8 = 255;

/// Stack slots that an instruction pops and pushes, if the opcode alone determines them.
pub(super) fn fixed_effect(opcode: u8) -> Option<(u16, u16)> {
    let (_, _, pops, pushes) = ROWS[usize::from(opcode)];
    (pops != V && pushes != V).then(|| (pops.into(), pushes.into()))
}

/// The mnemonic of an opcode, if the JVMS defines it for class files.
pub fn mnemonic(opcode: u8) -> Option<&'static str> {
    ROWS.get(usize::from(opcode)).map(|row| row.0)
}

/// Mnemonic, length, and slots popped and pushed, by opcode; 202 and above are reserved (JVMS §6.2).
#[rustfmt::skip]
const ROWS: [(&str, u8, u8, u8); 202] = [
    ("nop", 1, 0, 0),
    ("aconst_null", 1, 0, 1),
    ("iconst_m1", 1, 0, 1),
    ("iconst_0", 1, 0, 1),
    ("iconst_1", 1, 0, 1),
    ("iconst_2", 1, 0, 1),
    ("iconst_3", 1, 0, 1),
    ("iconst_4", 1, 0, 1),
    ("iconst_5", 1, 0, 1),
    ("lconst_0", 1, 0, 2),
    ("lconst_1", 1, 0, 2),
    ("fconst_0", 1, 0, 1),
    ("fconst_1", 1, 0, 1),
    ("fconst_2", 1, 0, 1),
    ("dconst_0", 1, 0, 2),
    ("dconst_1", 1, 0, 2),
    ("bipush", 2, 0, 1),
    ("sipush", 3, 0, 1),
    ("ldc", 2, 0, 1),
    ("ldc_w", 3, 0, 1),
    ("ldc2_w", 3, 0, 2),
    ("iload", 2, 0, 1),
    ("lload", 2, 0, 2),
    ("fload", 2, 0, 1),
    ("dload", 2, 0, 2),
    ("aload", 2, 0, 1),
    ("iload_0", 1, 0, 1),
    ("iload_1", 1, 0, 1),
    ("iload_2", 1, 0, 1),
    ("iload_3", 1, 0, 1),
    ("lload_0", 1, 0, 2),
    ("lload_1", 1, 0, 2),
    ("lload_2", 1, 0, 2),
    ("lload_3", 1, 0, 2),
    ("fload_0", 1, 0, 1),
    ("fload_1", 1, 0, 1),
    ("fload_2", 1, 0, 1),
    ("fload_3", 1, 0, 1),
    ("dload_0", 1, 0, 2),
    ("dload_1", 1, 0, 2),
    ("dload_2", 1, 0, 2),
    ("dload_3", 1, 0, 2),
    ("aload_0", 1, 0, 1),
    ("aload_1", 1, 0, 1),
    ("aload_2", 1, 0, 1),
    ("aload_3", 1, 0, 1),
    ("iaload", 1, 2, 1),
    ("laload", 1, 2, 2),
    ("faload", 1, 2, 1),
    ("daload", 1, 2, 2),
    ("aaload", 1, 2, 1),
    ("baload", 1, 2, 1),
    ("caload", 1, 2, 1),
    ("saload", 1, 2, 1),
    ("istore", 2, 1, 0),
    ("lstore", 2, 2, 0),
    ("fstore", 2, 1, 0),
    ("dstore", 2, 2, 0),
    ("astore", 2, 1, 0),
    ("istore_0", 1, 1, 0),
    ("istore_1", 1, 1, 0),
    ("istore_2", 1, 1, 0),
    ("istore_3", 1, 1, 0),
    ("lstore_0", 1, 2, 0),
    ("lstore_1", 1, 2, 0),
    ("lstore_2", 1, 2, 0),
    ("lstore_3", 1, 2, 0),
    ("fstore_0", 1, 1, 0),
    ("fstore_1", 1, 1, 0),
    ("fstore_2", 1, 1, 0),
    ("fstore_3", 1, 1, 0),
    ("dstore_0", 1, 2, 0),
    ("dstore_1", 1, 2, 0),
    ("dstore_2", 1, 2, 0),
    ("dstore_3", 1, 2, 0),
    ("astore_0", 1, 1, 0),
    ("astore_1", 1, 1, 0),
    ("astore_2", 1, 1, 0),
    ("astore_3", 1, 1, 0),
    ("iastore", 1, 3, 0),
    ("lastore", 1, 4, 0),
    ("fastore", 1, 3, 0),
    ("dastore", 1, 4, 0),
    ("aastore", 1, 3, 0),
    ("bastore", 1, 3, 0),
    ("castore", 1, 3, 0),
    ("sastore", 1, 3, 0),
    ("pop", 1, 1, 0),
    ("pop2", 1, 2, 0),
    ("dup", 1, 1, 2),
    ("dup_x1", 1, 2, 3),
    ("dup_x2", 1, 3, 4),
    ("dup2", 1, 2, 4),
    ("dup2_x1", 1, 3, 5),
    ("dup2_x2", 1, 4, 6),
    ("swap", 1, 2, 2),
    ("iadd", 1, 2, 1),
    ("ladd", 1, 4, 2),
    ("fadd", 1, 2, 1),
    ("dadd", 1, 4, 2),
    ("isub", 1, 2, 1),
    ("lsub", 1, 4, 2),
    ("fsub", 1, 2, 1),
    ("dsub", 1, 4, 2),
    ("imul", 1, 2, 1),
    ("lmul", 1, 4, 2),
    ("fmul", 1, 2, 1),
    ("dmul", 1, 4, 2),
    ("idiv", 1, 2, 1),
    ("ldiv", 1, 4, 2),
    ("fdiv", 1, 2, 1),
    ("ddiv", 1, 4, 2),
    ("irem", 1, 2, 1),
    ("lrem", 1, 4, 2),
    ("frem", 1, 2, 1),
    ("drem", 1, 4, 2),
    ("ineg", 1, 1, 1),
    ("lneg", 1, 2, 2),
    ("fneg", 1, 1, 1),
    ("dneg", 1, 2, 2),
    ("ishl", 1, 2, 1),
    ("lshl", 1, 3, 2),
    ("ishr", 1, 2, 1),
    ("lshr", 1, 3, 2),
    ("iushr", 1, 2, 1),
    ("lushr", 1, 3, 2),
    ("iand", 1, 2, 1),
    ("land", 1, 4, 2),
    ("ior", 1, 2, 1),
    ("lor", 1, 4, 2),
    ("ixor", 1, 2, 1),
    ("lxor", 1, 4, 2),
    ("iinc", 3, 0, 0),
    ("i2l", 1, 1, 2),
    ("i2f", 1, 1, 1),
    ("i2d", 1, 1, 2),
    ("l2i", 1, 2, 1),
    ("l2f", 1, 2, 1),
    ("l2d", 1, 2, 2),
    ("f2i", 1, 1, 1),
    ("f2l", 1, 1, 2),
    ("f2d", 1, 1, 2),
    ("d2i", 1, 2, 1),
    ("d2l", 1, 2, 2),
    ("d2f", 1, 2, 1),
    ("i2b", 1, 1, 1),
    ("i2c", 1, 1, 1),
    ("i2s", 1, 1, 1),
    ("lcmp", 1, 4, 1),
    ("fcmpl", 1, 2, 1),
    ("fcmpg", 1, 2, 1),
    ("dcmpl", 1, 4, 1),
    ("dcmpg", 1, 4, 1),
    ("ifeq", 3, 1, 0),
    ("ifne", 3, 1, 0),
    ("iflt", 3, 1, 0),
    ("ifge", 3, 1, 0),
    ("ifgt", 3, 1, 0),
    ("ifle", 3, 1, 0),
    ("if_icmpeq", 3, 2, 0),
    ("if_icmpne", 3, 2, 0),
    ("if_icmplt", 3, 2, 0),
    ("if_icmpge", 3, 2, 0),
    ("if_icmpgt", 3, 2, 0),
    ("if_icmple", 3, 2, 0),
    ("if_acmpeq", 3, 2, 0),
    ("if_acmpne", 3, 2, 0),
    ("goto", 3, 0, 0),
    ("jsr", 3, 0, 1),
    ("ret", 2, 0, 0),
    ("tableswitch", 0, 1, 0),
    ("lookupswitch", 0, 1, 0),
    ("ireturn", 1, 1, 0),
    ("lreturn", 1, 2, 0),
    ("freturn", 1, 1, 0),
    ("dreturn", 1, 2, 0),
    ("areturn", 1, 1, 0),
    ("return", 1, 0, 0),
    ("getstatic", 3, V, V),
    ("putstatic", 3, V, V),
    ("getfield", 3, V, V),
    ("putfield", 3, V, V),
    ("invokevirtual", 3, V, V),
    ("invokespecial", 3, V, V),
    ("invokestatic", 3, V, V),
    ("invokeinterface", 5, V, V),
    ("invokedynamic", 5, V, V),
    ("new", 3, 0, 1),
    ("newarray", 2, 1, 1),
    ("anewarray", 3, 1, 1),
    ("arraylength", 1, 1, 1),
    ("athrow", 1, 1, 0),
    ("checkcast", 3, 1, 1),
    ("instanceof", 3, 1, 1),
    ("monitorenter", 1, 1, 0),
    ("monitorexit", 1, 1, 0),
    ("wide", 0, V, V),
    ("multianewarray", 4, V, 1),
    ("ifnull", 3, 1, 0),
    ("ifnonnull", 3, 1, 0),
    ("goto_w", 5, 0, 0),
    ("jsr_w", 5, 0, 1),
];
