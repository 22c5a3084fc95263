//! An instruction's operands as text.

use crate::Result;
use crate::read::{CpIndex, Instruction, Pool, mnemonic as name_of, mutf8, op, tag};

/// The mnemonic; `wide` precedes that of a widened instruction.
pub(super) fn mnemonic(instruction: &Instruction<'_>) -> String {
    let name = |opcode| name_of(opcode).unwrap_or("?");
    match instruction.opcode() {
        op::WIDE => format!("wide {}", name(instruction.bytes[1])),
        opcode => name(opcode).to_owned(),
    }
}

/// Everything after the mnemonic; empty for instructions without operands.
pub(super) fn format_operands(instruction: &Instruction<'_>, code_length: u32, pool: &Pool<'_>) -> Result<String> {
    let bytes = instruction.bytes;
    let u2 = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    Ok(match instruction.opcode() {
        op::BIPUSH => (bytes[1] as i8).to_string(),
        op::SIPUSH => (u2(1) as i16).to_string(),
        op::LDC | op::LDC_W | op::LDC2_W => constant(instruction.index(), pool)?,
        op::ILOAD..=op::ALOAD | op::ISTORE..=op::ASTORE | op::RET => bytes[1].to_string(),
        op::IINC => format!("{} by {}", bytes[1], bytes[2] as i8),
        op::WIDE if bytes[1] == op::IINC => format!("{} by {}", u2(2), u2(4) as i16),
        op::WIDE => u2(2).to_string(),
        op::TABLESWITCH | op::LOOKUPSWITCH => switch(instruction, code_length)?,
        op::GETSTATIC..=op::INVOKEDYNAMIC => constant(instruction.index(), pool)?,
        op::NEW | op::ANEWARRAY | op::CHECKCAST | op::INSTANCEOF => constant(instruction.index(), pool)?,
        op::NEWARRAY => primitive(bytes[1]).to_owned(),
        op::MULTIANEWARRAY => format!("{} of {} dimensions", constant(instruction.index(), pool)?, bytes[3]),
        _ if instruction.branches() => match instruction.branch_operands(code_length).next() {
            Some(operand) => operand?.target.to_string(),
            None => String::new(),
        },
        _ => String::new(),
    })
}

/// `{1: 20, 5: 30, default: 40}`.
fn switch(instruction: &Instruction<'_>, code_length: u32) -> Result<String> {
    let word = |at: usize| match instruction.bytes.get(at..at + 4) {
        Some(&[a, b, c, d]) => i32::from_be_bytes([a, b, c, d]),
        _ => 0,
    };
    let operands = crate::read::switch_operands(instruction.pc);
    let low = word(operands + 4);
    let mut default = 0;
    let mut cases = Vec::new();
    for (entry, operand) in instruction.branch_operands(code_length).enumerate() {
        let operand = operand?;
        match (entry, instruction.opcode()) {
            (0, _) => default = operand.target,
            (_, op::TABLESWITCH) => {
                cases.push(format!("{}: {}", i64::from(low) + entry as i64 - 1, operand.target));
            }
            // The match is in the four bytes before the offset.
            _ => {
                let at = (operand.at - instruction.pc) as usize;
                cases.push(format!("{}: {}", word(at - 4), operand.target));
            }
        }
    }
    cases.push(format!("default: {default}"));
    Ok(format!("{{{}}}", cases.join(", ")))
}

fn primitive(code: u8) -> &'static str {
    match code {
        4 => "boolean",
        5 => "char",
        6 => "float",
        7 => "double",
        8 => "byte",
        9 => "short",
        10 => "int",
        11 => "long",
        _ => "?",
    }
}

/// The value of a constant.
fn constant(index: CpIndex, pool: &Pool<'_>) -> Result<String> {
    let raw = pool.raw(index)?;
    let text = mutf8::decode;
    Ok(match *raw {
        [tag::INTEGER, a, b, c, d] => i32::from_be_bytes([a, b, c, d]).to_string(),
        [tag::FLOAT, a, b, c, d] => format!("{:?}f", f32::from_be_bytes([a, b, c, d])),
        [tag::LONG, a, b, c, d, e, f, g, h] => format!("{}L", i64::from_be_bytes([a, b, c, d, e, f, g, h])),
        [tag::DOUBLE, a, b, c, d, e, f, g, h] => {
            format!("{:?}d", f64::from_be_bytes([a, b, c, d, e, f, g, h]))
        }
        [tag::CLASS, ..] => text(pool.class_name(index)?).into_owned(),
        [tag::STRING, ..] => format!("{:?}", text(pool.utf8_operand(index, tag::STRING)?)),
        [tag::METHOD_TYPE, ..] => text(pool.utf8_operand(index, tag::METHOD_TYPE)?).into_owned(),
        [tag::METHOD_HANDLE, kind, high, low] => {
            let of = constant(CpIndex(u16::from_be_bytes([high, low])), pool)?;
            format!("handle of kind {kind} on {of}")
        }
        [tag::DYNAMIC | tag::INVOKE_DYNAMIC, a, b, c, d] => {
            let (name, descriptor) = pool.name_and_type(CpIndex(u16::from_be_bytes([c, d])))?;
            let bootstrap = u16::from_be_bytes([a, b]);
            format!("{}:{} by bootstrap method {bootstrap}", text(name), text(descriptor))
        }
        _ => {
            let member = pool.member_ref(index)?;
            let separator = if member.descriptor.starts_with(b"(") { "" } else { ":" };
            let (class, name) = (text(member.class), text(member.name));
            format!("{class}.{name}{separator}{}", text(member.descriptor))
        }
    })
}
