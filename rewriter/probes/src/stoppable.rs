//! Where a thread may be made to throw an error from outside (JVMTI, "Stop Thread"), so that the program is left as after any
//! exception. Of the code of a method nothing else is known there: no handlers, no frames.

use weighbridge_bytecode::read::{Instruction, Instructions, op};

/// Whether an instruction allocates, so that it may throw an `OutOfMemoryError` by itself (JVMS §6.5.new), or is the beginning
/// or the end of a loop. A compiler puts neither between taking a lock and the `try` that frees it.
pub fn is_allocation_or_loop(code: &[u8], pc: u32) -> bool {
    let Some(&opcode) = code.get(pc as usize) else { return false };
    if matches!(opcode, op::NEW | op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY) {
        return true;
    }
    // A JVM tells the branch itself, or where it has jumped to.
    Instructions::new(code, 0).flatten().any(|branch| {
        let mut targets = branch.branch_operands(code.len() as u32).flatten().map(|operand| operand.target);
        targets.any(|target| target <= branch.pc && (branch.pc == pc || target == pc))
    })
}

/// Whether an instruction is in a `finally` block or a handler that rethrows, or in code that looks like one of the method's:
/// compilers copy a `finally` block to each exit.
pub fn is_in_cleanup(code: &[u8], pc: u32) -> bool {
    let instructions: Vec<Instruction<'_>> = Instructions::new(code, 0).flatten().collect();
    let is_inside = |range: &[Instruction<'_>]| range.iter().any(|instruction| instruction.pc == pc);
    (1..instructions.len()).any(|start| {
        // Only exceptions get here.
        let kept = match instructions[start].stored_local() {
            Some((local, 1)) if is_reference(&instructions[start]) && instructions[start - 1].ends_flow() => local,
            _ => return false,
        };
        let rethrows = |pair: &[Instruction<'_>]| {
            pair[1].opcode() == op::ATHROW && is_reference(&pair[0]) && pair[0].local() == Some(kept)
        };
        let Some(length) = instructions[start + 1..].windows(2).position(rethrows) else { return false };
        let handler = &instructions[start..start + length + 3];
        let body = &handler[1..=length];
        is_inside(handler)
            || !body.is_empty()
                && instructions
                    .windows(body.len())
                    .any(|code| is_inside(code) && code.iter().zip(body).all(|(one, other)| looks_like(one, other)))
    })
}

/// Whether two instructions are the same but for local variables and distances.
fn looks_like(one: &Instruction<'_>, other: &Instruction<'_>) -> bool {
    match (one.local(), other.local()) {
        (Some(_), Some(_)) => without_local(one) == without_local(other),
        (None, None) if one.branches() => one.opcode() == other.opcode(),
        (None, None) => one.bytes == other.bytes,
        _ => false,
    }
}

/// The opcode of the form that has its local variable as an operand.
fn without_local(instruction: &Instruction<'_>) -> u8 {
    match instruction.opcode() {
        opcode @ op::ILOAD_0..=op::ALOAD_3 => op::ILOAD + (opcode - op::ILOAD_0) / 4,
        opcode @ op::ISTORE_0..=op::ASTORE_3 => op::ISTORE + (opcode - op::ISTORE_0) / 4,
        op::WIDE => instruction.bytes[1],
        opcode => opcode,
    }
}

/// Whether it loads or stores a reference.
fn is_reference(instruction: &Instruction<'_>) -> bool {
    instruction.local().is_some() && matches!(without_local(instruction), op::ALOAD | op::ASTORE)
}
