//! Code inserted by the patch engine alone.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{ClassPatch, Insertion, OldPc, Position, Sequence, Workspace};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Instruction, Member, PoolOffsets, op, print};
use weighbridge_tests::assembler::{Assembler, Code};

/// Inserts one sequence wherever `positions` says, in every method whose name `methods` accepts.
pub fn patched(
    class: &[u8],
    reach: i16,
    methods: impl Fn(&Member<'_>) -> bool,
    positions: impl Fn(&CodeAttribute<'_>, &Instruction<'_>) -> Vec<Position>,
) -> Result<Vec<u8>> {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(class, &mut memory)?;
    let mut workspace = Workspace::with_reach(reach);
    let mut patch = ClassPatch::new(&class, &mut workspace);
    let mut sequence = Sequence::new();
    sequence.int(100_000, &mut patch.pool)?.raw(&[op::POP], 1, 0);
    for method in class.methods()? {
        let method = method?;
        let Some(code) = method.code()?.filter(|_| methods(&method)) else { continue };
        let mut insertions = Vec::new();
        for instruction in code.instructions() {
            let instruction = instruction?;
            let at = OldPc(instruction.pc);
            let here = positions(&code, &instruction).into_iter();
            insertions.extend(here.map(|position| Insertion { at, position, sequence: &sequence }));
        }
        patch.insert(&method, &code, &insertions)?;
    }
    Ok(patch.finish())
}

pub fn printed(class: &[u8], name: &[u8]) -> String {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(class, &mut memory).unwrap();
    let method = class.methods().unwrap().map(Result::unwrap).find(|m| m.name().unwrap() == name).unwrap();
    print::method(&class, &method).unwrap()
}

pub fn everywhere(_: &CodeAttribute<'_>, instruction: &Instruction<'_>) -> Vec<Position> {
    let mut positions = vec![Position::Before];
    positions.extend((instruction.pc == 0).then_some(Position::Entry));
    positions.extend((!instruction.ends_flow()).then_some(Position::After));
    positions
}

/// `static void wide()`: an `if` and a `goto` over `distance` bytes of nops, with a frame at the end only.
pub fn far_jumps(distance: usize) -> Vec<u8> {
    let mut class = Assembler::new("Far", "java/lang/Object");
    // 0: iconst_0, 1: ifeq end, 4: lconst_0, 5: lstore_0, 6: goto end, then (dead, with a frame) nops to the end.
    let end = 9 + distance;
    let jump = |opcode, from: usize| {
        let [high, low] = ((end - from) as u16).to_be_bytes();
        [opcode, high, low]
    };
    let mut code = [&[op::ICONST_0][..], &jump(op::IFEQ, 1), &[0x09, op::LSTORE_0], &jump(op::GOTO, 6)].concat();
    code.resize(end, op::NOP);
    code.push(op::RETURN);
    let table = [&[0, 2, 9][..], &[251], &((end - 10) as u16).to_be_bytes()].concat();
    let tables = vec![("StackMapTable", table)];
    class.method(9, "wide", "()V", Code { max_stack: 2, max_locals: 2, code, tables, ..Code::default() });
    class.build()
}

/// How far [`far_jumps`] jumps: the `if` at 1 reaches 32,767 bytes, to 32,768, and the insertion adds three. The first
/// still reaches, the second no longer.
pub const DISTANCES: [usize; 2] = [32_768 - 9 - 3, 32_768 - 9 - 2];

/// The insertion between the jumps of [`far_jumps`].
pub fn insert_at_4(_: &CodeAttribute<'_>, instruction: &Instruction<'_>) -> Vec<Position> {
    match instruction.pc {
        4 => vec![Position::Before],
        _ => Vec::new(),
    }
}
